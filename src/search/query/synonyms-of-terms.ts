/** Gives the terms of a query the synonyms of the words that they are part of. */
import { isHint } from '../../analysis/notations/marks.ts';
import { tokenise } from '../../analysis/tokens.ts';
import type { Synonym, SynonymSpan } from '../synonyms/synonym-spans.ts';
import type { QueryTerm } from './query-terms.ts';

/** The tokens of a query that are at the places of a span; stacked ones too, but no hints about them. */
function tokensIn(query: string, { at, length }: SynonymSpan): string[] {
  const { tokens, stackedTokens, stackedAt } = tokenise(query);
  const isWithin = (place: number | undefined) => place !== undefined && place >= at && place < at + length;
  const stacked = stackedTokens.filter((token, i) => !isHint(token) && isWithin(stackedAt[i]));
  return [...tokens.slice(at, at + length), ...stacked];
}

/**
 * Each term gets the synonyms of its spans: a passage with `PTO` has all words of `paid time off`. Otherwise it would
 * have a third of a query that it answers. Function words that are a term of a group are words: `IT` with the synonym
 * `information technology`, and `The Who` with `band`.
 */
export function withSynonyms(
  query: string,
  terms: QueryTerm[],
  spans: SynonymSpan[],
): { terms: QueryTerm[]; spans: SynonymSpan[] } {
  if (spans.length === 0) return { terms, spans };
  const byToken = new Map<string, Synonym[]>();
  const named = new Set<string>();
  const stopWords = new Set(terms.filter(({ isStopWord }) => isStopWord).flatMap(({ tokens }) => tokens));
  for (const span of spans) {
    const tokens = tokensIn(query, span);
    const areStopWords = tokens.slice(0, span.length).every((token) => stopWords.has(token));
    for (const token of tokens) {
      byToken.set(token, [...(byToken.get(token) ?? []), ...span.synonyms]);
      if (areStopWords) named.add(token);
    }
  }
  return {
    spans,
    terms: terms.map((term) => {
      const synonyms = [...new Set(term.tokens.flatMap((token) => byToken.get(token) ?? []))];
      if (synonyms.length === 0) return term;
      const isNamed = term.isStopWord && term.tokens.some((token) => named.has(token));
      return { ...term, synonyms, ...(isNamed && { isStopWord: false, isInformative: true, weight: 1 }) };
    }),
  };
}
