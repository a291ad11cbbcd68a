/**
 * Finds passages by meaning, with a few words that are near each other. The service has vectors for the words of whole
 * languages; these show what the option does.
 */
import type { ExplainedMeaning, SearchMode, WordPair } from '../../../generated/types.gen.ts';
import type { ExplainedScoring } from '../../../src/search/details/explanation.ts';
import { areForms, FORM_MIN_LENGTH } from './forms.ts';
import type { IndexedPassage } from './passages.ts';
import type { ScoredPassage } from './search.ts';

/** The words of each group are near each other. */
const NEAR_WORDS = [
  ['accommodation', 'lodging', 'hotel'],
  ['refund', 'reimbursement', 'money'],
  ['broken', 'faulty', 'damaged'],
  ['vacation', 'holiday', 'leave'],
  ['doctor', 'physician'],
  ['reboot', 'restart'],
];
const NEAR_SIMILARITY = 0.8;

/** A passage that has none of the words is found from this similarity on. */
const SIMILARITY_MIN = 0.4;
/** The most that meaning adds to a score by words. */
const SHARE = 0.2;
const PAIRS_MAX = 3;

/** A passage with its whole score. `byWords`: the part without meaning. */
export type FoundByBoth<Passage> = ScoredPassage<Passage> & {
  byWords: number;
  meaning: ExplainedMeaning | undefined;
};

const isSameWord = (word: string, other: string): boolean =>
  word === other || (word.length >= FORM_MIN_LENGTH && areForms(word, other));

/** The word of the passage that is nearest to a word of the query; undefined: none is near. */
function findNearest(term: string, lexemes: string[]): WordPair | undefined {
  const own = lexemes.find((lexeme) => isSameWord(term, lexeme));
  if (own !== undefined) return { term, word: own, similarity: 1 };
  const near = NEAR_WORDS.filter((group) => group.some((word) => isSameWord(word, term))).flat();
  const word = lexemes.find((lexeme) => near.some((each) => isSameWord(each, lexeme)));
  return word === undefined ? undefined : { term, word, similarity: NEAR_SIMILARITY };
}

const round = (value: number): number => Math.round(value * 1e6) / 1e6;

/** How near the passage is to these words, and what that adds to its score by words. */
function meaningOf(
  passage: IndexedPassage,
  words: string[],
  { mode, byWords }: { mode: SearchMode; byWords: number },
): ExplainedMeaning | undefined {
  const lexemes = [...passage.frequencies.keys()];
  const nearest = words.flatMap((word) => findNearest(word, lexemes) ?? []);
  const similarity = round(nearest.reduce((sum, pair) => sum + pair.similarity, 0) / words.length);
  const isFound = byWords > 0 ? similarity > 0 : similarity >= SIMILARITY_MIN;
  if (words.length === 0 || !isFound) return undefined;
  return {
    contribution: mode === 'meaning' ? similarity : round(SHARE * similarity * (1 - byWords)),
    similarity,
    pairs: nearest.filter((pair) => pair.similarity < 1).slice(0, PAIRS_MAX),
  };
}

/** The passages that `mode` finds, of `passages`. `found`: those that the words have found. */
export function findByMode<Passage extends IndexedPassage>(
  passages: Passage[],
  { found, scoring }: { found: ScoredPassage<Passage>[]; scoring: Omit<ExplainedScoring, 'phrases'> },
  mode: SearchMode,
): FoundByBoth<Passage>[] {
  const words = [...scoring.terms, ...scoring.unknown]
    .filter(({ isInformative }) => isInformative)
    .map(({ word }) => word);
  const scored = new Map(mode === 'meaning' ? [] : found.map((each) => [each.passage, each]));
  return passages.flatMap((passage) => {
    const { score: byWords, bm25 } = scored.get(passage) ?? { score: 0, bm25: 0 };
    const meaning = mode === 'words' ? undefined : meaningOf(passage, words, { mode, byWords });
    const score = round(byWords + (meaning?.contribution ?? 0));
    return score > 0 ? [{ passage, score, bm25, byWords, meaning }] : [];
  });
}
