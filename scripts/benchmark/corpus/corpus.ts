/**
 * The search corpus, the same at every run: an endless sequence of numbered passages.
 * Each passage depends only on its number. Documents are stretches of that sequence,
 * so that the same texts can be spread over any number of knowledge bases.
 */

import { createRandom, type Random } from '../../../contract-tests/harness/documents/texts.ts';
import { drawFunctionWord, drawIdentifier, drawTopic, drawTopicWord, drawWord } from './words.ts';

/** A document's position in the sequence of passages. */
export type DocumentPlan = { first: number; passages: number };

/** The contract's largest text holds this many passages of up to 1,000 characters. */
const DOCUMENT_PASSAGES_MAX = 900;
/** This many passages share a subject, and this many share a heading. */
const PASSAGES_OF_A_SUBJECT = 30;
const PASSAGES_OF_A_HEADING = 6;

/**
 * A passage ends with the sentence that reaches this length: some 130 words.
 * Two never fit into one of the service's passages, one nearly always does.
 */
const PASSAGE_MIN_LENGTH = 680;
const PASSAGE_LENGTH_SPREAD = 180;

/** Shares of a passage's words: function words as in English pages, and words that occur together, in bursts. */
const SHARES = { functionWord: 0.55, identifier: 0.012, repeated: 0.1, topic: 0.2, sideTopic: 0.05 };

/** An independent generator for each purpose and number, by Knuth's multiplicative hash. */
const randomOf = (purpose: number, number: number): Random =>
  createRandom(Math.imul(number + 1, 2_654_435_761) ^ Math.imul(purpose, 40_503));

const topicOf = (passage: number): number =>
  drawTopic(randomOf(1, Math.floor(passage / PASSAGES_OF_A_SUBJECT)));

/** Returns a function that draws the next word of one passage. */
function createWords(passage: number, random: Random): () => string {
  const topic = topicOf(passage);
  const sideTopic = drawTopic(random);
  const used: string[] = [];
  const drawNew = (drawn: number): string => {
    if (drawn < SHARES.topic) return drawTopicWord(topic, random);
    if (drawn < SHARES.topic + SHARES.sideTopic) return drawTopicWord(sideTopic, random);
    return drawWord(random);
  };
  return () => {
    let drawn = random();
    if (drawn < SHARES.functionWord) return drawFunctionWord(random);
    drawn -= SHARES.functionWord;
    if (drawn < SHARES.identifier) return drawIdentifier(random);
    drawn -= SHARES.identifier;
    if (drawn < SHARES.repeated && used.length > 0) return used[Math.floor(random() * used.length)] ?? '';
    const word = drawNew(drawn - SHARES.repeated);
    used.push(word);
    return word;
  };
}

const capitalise = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function makeSentence(drawNext: () => string, random: Random): string {
  const words = 6 + Math.floor(random() * 16);
  let sentence = capitalise(drawNext());
  for (let i = 1; i < words; i++) sentence += (random() < 0.06 ? ', ' : ' ') + drawNext();
  return `${sentence}.`;
}

/** The text of a passage: one paragraph. */
export function makePassage(passage: number): string {
  const random = randomOf(2, passage);
  const drawNext = createWords(passage, random);
  const length = PASSAGE_MIN_LENGTH + random() * PASSAGE_LENGTH_SPREAD;
  let text = makeSentence(drawNext, random);
  while (text.length < length) text += ` ${makeSentence(drawNext, random)}`;
  return text;
}

/** A few words on the subject of a passage, for titles and headings. */
function makeHeading(passage: number): string {
  const random = randomOf(3, passage);
  const topic = topicOf(passage);
  return `${capitalise(drawTopicWord(topic, random))} ${drawFunctionWord(random)} ${drawTopicWord(topic, random)}`;
}

/** The documents for passages `first` to `end`, in mixed sizes: as often below 30 passages as above. */
export function planDocuments(first: number, end: number): DocumentPlan[] {
  const plans: DocumentPlan[] = [];
  for (let next = first; next < end; ) {
    const drawn = Math.floor(DOCUMENT_PASSAGES_MAX ** randomOf(4, next)());
    const passages = Math.min(drawn, end - next);
    plans.push({ first: next, passages });
    next += passages;
  }
  return plans;
}

/** A document's title and its text in Markdown. */
export function makeDocument({ first, passages }: DocumentPlan): { title: string; content: string } {
  const blocks: string[] = [];
  for (let passage = first; passage < first + passages; passage++) {
    const isUnderNewHeading = passage % PASSAGES_OF_A_HEADING === 0;
    if (isUnderNewHeading) blocks.push(`## ${makeHeading(passage)}`);
    blocks.push(makePassage(passage));
  }
  return { title: makeHeading(first), content: blocks.join('\n\n') };
}
