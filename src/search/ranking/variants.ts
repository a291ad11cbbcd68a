/** The forms in which passages contain a term: single lexemes, or several side by side. */
import type { TermMatch } from '../../../generated/types.gen.ts';
import { quoteLexeme } from '../../analysis/lexemes.ts';

/**
 * A form of a query term, and the upper bound of what it adds to a score.
 *
 * - `phrase`: its lexemes, at consecutive positions; mostly a single one.
 * - `match`: how a passage with this form has the term.
 */
export type Variant = { phrase: string[]; upperBound: number; match: TermMatch };

/** A variant of one lexeme. */
export const ofLexeme = (lexeme: string, upperBound: number, match: TermMatch = 'word'): Variant => ({
  phrase: [lexeme],
  upperBound,
  match,
});

/** tsquery text for the passages that have the lexemes side by side. */
export const phraseQuery = (phrase: string[]): string =>
  phrase.length === 1 ? quoteLexeme(phrase[0] ?? '') : `(${phrase.map(quoteLexeme).join('<->')})`;

/**
 * tsquery text whose frequency in a tsvector `ts_rank` tells (see postgres-rank-insides.ts). It is exact for a single
 * lexeme. For a phrase it is about the mean of its words' frequencies, as `phraseFrequency` computes it: PostgreSQL
 * would rank a phrase by the distances of its words, but not one that is an alternative to itself.
 */
export const countableQuery = (phrase: string[]): string =>
  phrase.length === 1 ? phraseQuery(phrase) : `${phraseQuery(phrase)}|${phraseQuery(phrase)}`;
