/** The forms in which passages contain a term: single lexemes, or several side by side. */
import type { TermMatch } from '../../../generated/types.gen.ts';
import { quoteLexeme } from '../../analysis/lexemes.ts';

/**
 * A form of a query term, and the upper bound of what it adds to a score.
 *
 * - `sequence`: its lexemes, at consecutive positions; mostly a single one.
 * - `match`: how a passage with this form has the term.
 */
export type Variant = { sequence: string[]; upperBound: number; match: TermMatch };

/** A variant of one lexeme. */
export const ofLexeme = (lexeme: string, upperBound: number, match: TermMatch = 'word'): Variant => ({
  sequence: [lexeme],
  upperBound,
  match,
});

/** tsquery text for the passages that have the lexemes side by side, at positions with these labels. */
export function sequenceQuery(sequence: string[], labels = ''): string {
  const operands = sequence.map((lexeme) => `${quoteLexeme(lexeme)}${labels}`);
  return operands.length === 1 ? (operands[0] ?? '') : `(${operands.join('<->')})`;
}

/**
 * tsquery text whose frequency in a tsvector `ts_rank` tells (see postgres-rank-insides.ts). It is exact for a single
 * lexeme. For a sequence it is about the mean of its words' frequencies, as `sequenceFrequency` computes it: PostgreSQL
 * would rank a sequence by the distances of its words, but not one that is an alternative to itself.
 */
export const countableQuery = (sequence: string[]): string =>
  sequence.length === 1 ? sequenceQuery(sequence) : `${sequenceQuery(sequence)}|${sequenceQuery(sequence)}`;
