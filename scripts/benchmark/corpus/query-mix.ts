/** Queries of different kinds of users, taken from the corpus's passages; the same at every run. */

import { createRandom, pick, type Random } from '../../../contract-tests/harness/documents/texts.ts';
import { makePassage } from './corpus.ts';
import { commonWords, drawWord, isStopWord, rankOf } from './words.ts';

/** A query, its kind, and the passage that it was made from. */
export type MixedQuery = { kind: QueryKind; text: string; passage: number };

/** A claim has this many terms: a stretch of a passage, in its order. */
const CLAIM_TERMS = 12;
const REPLACED_SHARE = 0.15;
/** A word from this rank on occurs in few passages. */
const RARE_RANK = 20_000;
/** The contract's longest query. */
const LONGEST_QUERY = 8_192;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_.-]*[\p{L}\p{N}]/gu) ?? [];

/** A passage's words in order, without stop words. */
const termsOf = (passage: number): string[] =>
  wordsOf(makePassage(passage)).filter((word) => !isStopWord(word));

/** `count` neighbouring words of a list, or all of a shorter one. */
function cutStretch(words: string[], count: number, random: Random): string[] {
  const start = Math.floor(random() * Math.max(1, words.length - count + 1));
  return words.slice(start, start + count);
}

function makeClaim(passage: number, random: Random): string {
  const terms = [...new Set(cutStretch(termsOf(passage), 2 * CLAIM_TERMS, random))];
  while (terms.length > CLAIM_TERMS) terms.splice(Math.floor(random() * terms.length), 1);
  return terms.map((term) => (random() < REPLACED_SHARE ? drawWord(random) : term)).join(' ');
}

/** 5 to 8 words: an interrogative, then three to four terms with function words between them. */
function makeQuestion(passage: number, random: Random): string {
  const [first = '', second = '', ...others] = cutStretch(termsOf(passage), 3 + Math.round(random()), random);
  const interrogative = pick(['what', 'how', 'which', 'when'], random);
  const optional = random() < 0.5 ? ['the'] : [];
  return `${[interrogative, 'is', ...optional, first, 'of', second, ...others].slice(0, 8).join(' ')}?`;
}

const makePair = (passage: number, random: Random): string =>
  cutStretch(termsOf(passage), 2, random).join(' ');

function makeRareWord(passage: number, random: Random): string {
  const terms = termsOf(passage);
  const rare = terms.filter((word) => (rankOf(word) ?? 0) >= RARE_RANK);
  return pick(rare.length > 0 ? rare : terms, random);
}

const makeCommonWord = (_passage: number, random: Random): string => pick(commonWords, random);

const makeCommonWords = (_passage: number, random: Random): string =>
  Array.from({ length: 3 + Math.floor(random() * 3) }, () => pick(commonWords, random)).join(' ');

/** A word with a digit or an underscore. One passage in six has none, so its query is a pair of words. */
function makeIdentifierQuery(passage: number, random: Random): string {
  const identifiers = termsOf(passage).filter((word) => /[\d_]/.test(word));
  return identifiers.length > 0 ? pick(identifiers, random) : makePair(passage, random);
}

/** The kinds with their makers and their shares of the mix, in percent. */
const KINDS = {
  'claims of 12 terms': { make: makeClaim, percent: 50 },
  'questions of 5 to 8 words': { make: makeQuestion, percent: 17 },
  'two words': { make: makePair, percent: 10 },
  'one rare word': { make: makeRareWord, percent: 7 },
  'one common word': { make: makeCommonWord, percent: 4 },
  'common words only': { make: makeCommonWords, percent: 4 },
  'identifiers and numbers': { make: makeIdentifierQuery, percent: 8 },
} satisfies Record<string, { make(passage: number, random: Random): string; percent: number }>;

export type QueryKind = keyof typeof KINDS;

/** The kinds' names, in display order. */
export const queryKinds = Object.keys(KINDS) as QueryKind[]; // its own keys

/** A hundred entries: each kind as often as its share. */
const kindsByPercent = queryKinds.flatMap((kind) => Array<QueryKind>(KINDS[kind].percent).fill(kind));

/** Endless queries from the first `passages` passages, in mixed kinds. */
export function* drawQueries(passages: number, seed: number): Generator<MixedQuery, never> {
  const random = createRandom(seed);
  for (let i = 0; ; i++) {
    // 37 has no divisor in common with 100, so every hundred queries contain each kind by its share.
    const kind = kindsByPercent[(i * 37) % kindsByPercent.length] ?? 'two words';
    const passage = Math.floor(random() * passages);
    yield { kind, text: KINDS[kind].make(passage, random), passage };
  }
}

/** The first `count` queries of `drawQueries`. */
export const makeQueries = (count: number, passages: number, seed: number): MixedQuery[] =>
  drawQueries(passages, seed).take(count).toArray();

/** Queries of the contract's maximum length: stretches of several passages. */
export function makeLongQueries(count: number, passages: number, seed: number): string[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    let text = '';
    while (text.length < LONGEST_QUERY) text += `${makePassage(Math.floor(random() * passages))} `;
    return text.slice(0, LONGEST_QUERY);
  });
}
