/** Results by their documents. */
import type { SearchResult } from '../../../client/index.ts';

/** Results of one document, the best first. `rank`: the place of the first one among all results, from 1. */
export type Group = { rank: number; results: [SearchResult, ...SearchResult[]] };

/** One group for each document, in the order of their best results. */
export function groupByDocument(results: readonly SearchResult[]): Group[] {
  const groups = new Map<string, Group>();
  for (const [index, result] of results.entries()) {
    const known = groups.get(result.document_id);
    if (known === undefined) groups.set(result.document_id, { rank: index + 1, results: [result] });
    else known.results.push(result);
  }
  return [...groups.values()];
}

/** One group for each result: two lists are compared place by place. */
export const oneByOne = (results: readonly SearchResult[]): Group[] =>
  results.map((result, index) => ({ rank: index + 1, results: [result] }));
