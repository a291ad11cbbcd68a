/** Explains a score: what each term, the neighbouring passages, the feedback and a full match have added to it. */
import type { ExplainedRerank, ExplainedTerm, Explanation } from '../../../generated/types.gen.ts';
import { lengthNorm, saturation } from '../bm25.ts';
import type { Phrase } from '../phrases/phrases.ts';
import { sequenceFrequency } from '../postgres-rank-insides.ts';
import type { NamedTerm } from '../query/query-terms.ts';
import type { FoundPassage, Reranked } from '../ranking/statement/found-passages.ts';
import type { ScoredTerm } from '../ranking/term-scores.ts';
import type { Variant } from '../ranking/variants.ts';
import { type ReadWords, wordReader } from './matched-words.ts';
import { type Matches, placesOfSequence } from './matches.ts';
import type { MeaningPair } from './meaning-pairs.ts';
import { countPhrase } from './phrase-marks.ts';

type Term = ScoredTerm & NamedTerm;

/**
 * The terms of a query and their upper bound, the phrases that all passages have, and what each letter of a passage
 * adds to its length norm.
 */
export type ExplainedScoring = {
  terms: Term[];
  phrases: Phrase[];
  unknown: NamedTerm[];
  upperBound: number;
  perLetter: number;
  /** The words that carry the meaning of this passage; undefined where the query has no meaning. */
  pairs?: MeaningPair[] | undefined;
  /** The words of the query do not count. */
  isByMeaning?: boolean;
};

/** What a term adds to a passage, by its variant that adds most; nothing in a passage without the term. */
type TermScore = { term: Term; variant: Variant | undefined; occurrences: number; score: number };

/** Words that an explanation names of each term. */
const WORDS_MAX = 10;

/** Scores have 6 decimals. */
const UNITS = 1_000_000;

/** The variant that adds most to the score of a passage counts, as in `passageScore`. */
function scoreOfTerm(term: Term, matches: Matches, perLetter: number): TermScore {
  const norm = lengthNorm(matches.length, perLetter);
  const scores = term.variants.map((variant): TermScore => {
    const { occurrences, frequency } = occurrencesOf(variant.sequence, matches);
    return { term, variant, occurrences, score: variant.upperBound * saturation(frequency, norm) };
  });
  const none: TermScore = { term, variant: undefined, occurrences: 0, score: 0 };
  return scores.reduce((best, next) => (next.score > best.score ? next : best), none);
}

/** How often a passage has the lexemes of a variant side by side, and as how often they count. */
function occurrencesOf(
  sequence: string[],
  { frequencies, positions }: Matches,
): { occurrences: number; frequency: number } {
  const ofEach = sequence.map((lexeme) => frequencies.get(lexeme) ?? 0);
  const [single = 0, ...others] = ofEach;
  if (others.length === 0) return { occurrences: single, frequency: single };
  const occurrences = placesOfSequence(sequence, positions).length;
  const distinct = new Map(sequence.map((lexeme, i) => [lexeme, ofEach[i] ?? 0]));
  return { occurrences, frequency: occurrences === 0 ? 0 : sequenceFrequency([...distinct.values()]) };
}

/**
 * Rounds numbers to 6 decimals so that they still add up to `sum`, which has 6 decimals: those that lose most by
 * rounding down are rounded up (largest remainder method).
 */
export function roundToSum(parts: number[], sum: number): number[] {
  const units = parts.map((part) => Math.floor(part * UNITS));
  const missing = Math.round(sum * UNITS) - units.reduce((total, unit) => total + unit, 0);
  const byLoss = parts
    .map((part, i) => ({ i, loss: part * UNITS - (units[i] ?? 0) }))
    .sort((left, right) => right.loss - left.loss);
  const share = Math.floor(missing / parts.length);
  byLoss.forEach(({ i }, rank) => {
    units[i] = (units[i] ?? 0) + share + (rank < missing - share * parts.length ? 1 : 0);
  });
  return units.map((unit) => unit / UNITS);
}

/** Explains the score of a passage with these matches. All parts add up to the score. */
export function explain(
  passage: FoundPassage,
  matches: Matches,
  { terms, phrases, unknown, upperBound, perLetter, pairs, isByMeaning = false }: ExplainedScoring,
): Explanation {
  const scored = isByMeaning ? [] : terms.map((term) => scoreOfTerm(term, matches, perLetter));
  const present = scored.filter(({ score }) => score > 0).sort((left, right) => right.score - left.score);
  const { bm25, combined, relevant, unlifted, cosine, reranked } = passage;
  const score = reranked?.before ?? passage.score;
  const parts = [
    ...present.map((term) => term.score),
    combined - bm25,
    relevant - combined,
    unlifted - relevant,
  ];
  const others = parts.reduce((sum, part) => sum + part, 0) / upperBound;
  const rounded = roundToSum([...parts.map((part) => part / upperBound), score - others], score);
  const absent = scored.filter(({ score }) => score === 0).map(({ term }) => term);
  const readWords = wordReader(passage.content, matches);
  return {
    terms: present.map((each, i) =>
      explainTerm(each, { upperBound, contribution: rounded[i] ?? 0, readWords }),
    ),
    neighbours: rounded.at(-4) ?? 0,
    feedback: rounded.at(-3) ?? 0,
    missing: (isByMeaning ? [] : [...absent, ...unknown])
      .filter(({ isInformative }) => isInformative)
      .map(({ word }) => word),
    fullMatch: rounded.at(-1) ?? 0,
    ...(pairs !== undefined &&
      cosine !== null && {
        meaning: { contribution: rounded.at(-2) ?? 0, similarity: Math.round(cosine * UNITS) / UNITS, pairs },
      }),
    ...(reranked && { rerank: explainRerank(passage.score, reranked) }),
    ...(phrases.length > 0 && {
      phrases: phrases.map((phrase) => ({ phrase: phrase.text, occurrences: countPhrase(phrase, matches) })),
    }),
  };
}

/** A place has its score, so a passage gains or loses the difference of two places. */
const explainRerank = (score: number, { before, place, relevance }: Reranked): ExplainedRerank => ({
  contribution: Math.round((score - before) * UNITS) / UNITS,
  relevance,
  formerRank: place,
});

type ScoreParts = { upperBound: number; contribution: number; readWords: ReadWords };

function explainTerm(
  { term, variant, occurrences }: TermScore,
  { upperBound, contribution, readWords }: ScoreParts,
): ExplainedTerm {
  const most = Math.max(...term.variants.map((each) => each.upperBound));
  return {
    term: term.word,
    weight: Math.round((most / upperBound) * UNITS) / UNITS,
    occurrences,
    contribution,
    match: variant?.match ?? 'word',
    words: variant === undefined ? [] : readWords(variant.sequence).slice(0, WORDS_MAX),
  };
}
