/** Explains a score: what each term, the neighbouring passages, the feedback and a full match have added to it. */
import type { Explanation } from '../../../generated/types.gen.ts';
import { lengthNorm, saturation } from '../bm25.ts';
import type { NamedTerm } from '../query/query-terms.ts';
import type { FoundPassage } from '../ranking/ranking.ts';
import type { ScoredTerm } from '../ranking/term-scores.ts';
import type { Matches } from './matches.ts';

type Term = ScoredTerm & NamedTerm;

/** The terms of a query and their upper bound, and what each letter of a passage adds to its length norm. */
export type ExplainedScoring = {
  terms: Term[];
  unknown: NamedTerm[];
  upperBound: number;
  perLetter: number;
};

/** Scores have 6 decimals. */
const UNITS = 1_000_000;

/** The variant that adds most to the score of a passage counts, as in `passageScore`. */
function scoreOfTerm(
  { variants }: Term,
  { frequencies, length }: Matches,
  perLetter: number,
): { occurrences: number; score: number } {
  const norm = lengthNorm(length, perLetter);
  const scores = variants.map(({ lexeme, upperBound }) => {
    const occurrences = frequencies.get(lexeme) ?? 0;
    return { occurrences, score: upperBound * saturation(occurrences, norm) };
  });
  return scores.reduce((best, next) => (next.score > best.score ? next : best), {
    occurrences: 0,
    score: 0,
  });
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
  { terms, unknown, upperBound, perLetter }: ExplainedScoring,
): Explanation {
  const scored = terms.map((term) => ({ term, ...scoreOfTerm(term, matches, perLetter) }));
  const present = scored.filter(({ score }) => score > 0).sort((left, right) => right.score - left.score);
  const { score, bm25, combined, unlifted } = passage;
  const parts = [...present.map((term) => term.score), combined - bm25, unlifted - combined];
  const others = parts.reduce((sum, part) => sum + part, 0) / upperBound;
  const rounded = roundToSum([...parts.map((part) => part / upperBound), score - others], score);
  const absent = scored.filter(({ score }) => score === 0).map(({ term }) => term);
  return {
    terms: present.map(({ term, occurrences }, i) => ({
      term: term.word,
      weight:
        Math.round((Math.max(...term.variants.map((variant) => variant.upperBound)) / upperBound) * UNITS) /
        UNITS,
      occurrences,
      contribution: rounded[i] ?? 0,
    })),
    neighbours: rounded.at(-3) ?? 0,
    feedback: rounded.at(-2) ?? 0,
    fullMatch: rounded.at(-1) ?? 0,
    missing: [...absent, ...unknown].filter(({ isInformative }) => isInformative).map(({ word }) => word),
  };
}
