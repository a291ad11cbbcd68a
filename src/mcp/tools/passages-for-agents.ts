/** Search results as agents read them: whole passages, best first, within a number of tokens, each with its source. */
import type { Attributes, SearchResult } from '../../../generated/types.gen.ts';
import { formatPages, foundPlace } from '../../client/found-place.ts';
import { formatScore } from '../../formats/format-score.ts';
import { formatTime } from '../../formats/format-time.ts';
import { addressFor, describeAttributes } from './fields.ts';

type Guess = { word: string; takenFor: string[] };
type NearWord = { word: string; near: string };

/** What an agent reads of a search result. */
export type FoundPassage = {
  documentId: string;
  title: string;
  /** The name of its knowledge base. */
  knowledgeBase: string;
  attributes?: Attributes;
  /** Where a person finds it: the title, and the page, the time and the headings where the document has them. */
  citation: string;
  /** The address of the original if the importer has given one; otherwise the address of the passage in the console. */
  uri: string;
  score: number;
  text: string;
  /** The neighbouring passages, in the order of the document. */
  before?: string[];
  after?: string[];
  /** The range of `text` in the document, in code points, for read_document. */
  start?: number;
  end?: number;
  /** When the words of the query are spoken in the recording, in seconds. */
  time?: number;
  /** Where OCR has read the text from a scan or a picture, so that words may be wrong: how sure it is, from 0 to 1. */
  recognised?: { confidence: number };
  /** How many passages with the same text were left out for this one. */
  duplicates?: number;
  /** Words of the query that no text has, with those that were taken for them. */
  guesses?: Guess[];
  /** Words of the query, each with the words of the passage that are near it in meaning. */
  nearInMeaning?: NearWord[];
};

/** What results do not say: the service's address for people, and the names of knowledge bases by their ids. */
export type Surroundings = { address: string; names: ReadonlyMap<string, string> };

/** For example `Handbook, page 12, Travel > Expenses`, or `talk.vtt, at 00:12:45`. */
function citationOf(result: SearchResult): string {
  const { title, type, location } = result;
  const place = foundPlace(result);
  const parts = [
    title,
    formatPages(place, type),
    place.time === undefined ? undefined : `at ${formatTime(place.time)}`,
    location?.headings?.length ? location.headings.join(' > ') : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

const guessesOf = ({ explanation }: SearchResult): Guess[] =>
  (explanation?.terms ?? [])
    .filter(({ match }) => match === 'guess')
    .map(({ term, words }) => ({ word: term, takenFor: words }));

const nearWordsOf = ({ explanation }: SearchResult): NearWord[] =>
  (explanation?.meaning?.pairs ?? []).map(({ term, word }) => ({ word: term, near: word }));

function toFoundPassage(result: SearchResult, { address, names }: Surroundings): FoundPassage {
  const [guesses, nearInMeaning] = [guessesOf(result), nearWordsOf(result)];
  const { document_id: documentId, title, score, content, sourceUrl, context, location } = result;
  const { duplicates = 0, attributes, knowledge_base_id: knowledgeBaseId } = result;
  const { time } = foundPlace(result);
  return {
    documentId,
    title,
    knowledgeBase: names.get(knowledgeBaseId) ?? knowledgeBaseId,
    ...(attributes && { attributes }),
    citation: citationOf(result),
    uri: addressFor({ id: documentId, sourceUrl }, address, location?.passage),
    score,
    text: content,
    ...(context && context.before.length > 0 && { before: context.before }),
    ...(context && context.after.length > 0 && { after: context.after }),
    ...(location && { start: location.start, end: location.end }),
    ...(time !== undefined && { time }),
    ...(location?.recognised && { recognised: location.recognised }),
    ...(duplicates > 0 && { duplicates }),
    ...(guesses.length > 0 && { guesses }),
    ...(nearInMeaning.length > 0 && { nearInMeaning }),
  };
}

/** About how many tokens the passages of an answer have, where the agent does not say it. */
export const TOKENS_DEFAULT = 6_000;

/** Ideographs, kana and Hangul: about one token each. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
/** Characters of other scripts in a token, about: English has 4 to 5, German and Arabic 2 to 4. */
const CHARACTERS_PER_TOKEN = 3;

/** About how many tokens a language model makes of a text; rather too many than too few. */
export function estimateTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / CHARACTERS_PER_TOKEN);
}

const tokensOf = (passage: FoundPassage): number => estimateTokens(describePassage(passage, 0));

/** The result without its neighbours, which are the first to go when there is no room. */
function withoutContext({ before: _, after: __, ...found }: FoundPassage): FoundPassage {
  return found;
}

/**
 * The best results that have room in `maxTokens`, in their order. A result without room for its neighbours comes
 * without them. The first one always comes.
 * @returns also how many were left out
 */
export function selectPassages(
  results: SearchResult[],
  maxTokens: number,
  surroundings: Surroundings,
): { passages: FoundPassage[]; omitted: number } {
  const passages: FoundPassage[] = [];
  let left = maxTokens;
  for (const whole of results.map((result) => toFoundPassage(result, surroundings))) {
    const found = tokensOf(whole) <= left ? whole : withoutContext(whole);
    const tokens = tokensOf(found);
    if (tokens > left && passages.length > 0) break;
    passages.push(found);
    left -= tokens;
  }
  return { passages, omitted: results.length - passages.length };
}

const describeGuess = ({ word, takenFor }: Guess): string =>
  `No text has "${word}"; this was taken for it: ${takenFor.join(', ') || 'a word of the title'}.`;

const describeNearWords = (nearWords: NearWord[]): string[] =>
  nearWords.length === 0
    ? []
    : [`Near in meaning: ${nearWords.map(({ word, near }) => `${word} ≈ ${near}`).join(', ')}.`];

const isOfConsole = (uri: string): boolean => /\/#\/d\/[\w-]{43}(?:\?|$)/.test(uri);

/** A passage as text. The id of its document stands there where the address is not one that read_document takes. */
function describePassage(passage: FoundPassage, index: number): string {
  const { citation, uri, documentId, knowledgeBase, score, text, before = [], after = [] } = passage;
  const { attributes, guesses = [], nearInMeaning = [] } = passage;
  const head = [
    `[${index + 1}] ${citation} (in ${knowledgeBase}, score ${formatScore(score)})`,
    isOfConsole(uri) ? uri : `${uri} (documentId ${documentId})`,
    describeAttributes(attributes),
    ...guesses.map(describeGuess),
    ...describeNearWords(nearInMeaning),
  ].filter(Boolean);
  return [...head, ...before, text, ...after].join('\n');
}

/** What an answer says beside its passages. `omitted`: passages that had no room. `warnings`: sentences. */
type AnswerNotes = { omitted: number; phrasesAsWords?: string[]; warnings?: string[] };

/** The passages as text, for agents that do not read structured content. */
export function toText(
  passages: FoundPassage[],
  { omitted, phrasesAsWords = [], warnings = [] }: AnswerNotes,
): string {
  const phrases = phrasesAsWords.map((phrase) => `"${phrase}"`).join(', ');
  const instead = phrases === '' ? [] : [`No passage has ${phrases}; the words were searched instead.`];
  const notes = [...warnings, ...instead];
  if (passages.length === 0)
    return [...notes, 'Nothing was found. Try other words, fewer filters, or list_knowledge_bases.'].join(
      '\n\n',
    );
  const blocks = passages.map(describePassage);
  const rest = omitted === 0 ? [] : [`${omitted} more had no room; ask with a larger maxTokens.`];
  return [...notes, ...blocks, ...rest].join('\n\n');
}
