/** Which of the kept queries the page shows, and in which order. */
import type { KeptQuery, QueryRequest } from '../../client/index.ts';

export type View = 'latest' | 'nothing' | 'slowest';

/** A row of the page. `times`: in the view of queries without results, how many had the same words; otherwise 1. */
export type ShownQuery = { query: KeptQuery; times: number };

const once = (query: KeptQuery): ShownQuery => ({ query, times: 1 });

/** The request in the form that this version knows. */
export const requestOf = ({ request }: KeptQuery): QueryRequest => request;

/** The same words in the same knowledge bases are the same search, whatever their case and spaces. */
function nameOf(kept: KeptQuery): string {
  const { query, knowledgeBaseIds = [] } = requestOf(kept);
  return [query.normalize('NFC').toLowerCase().trim().replace(/\s+/g, ' '), ...knowledgeBaseIds].join('\n');
}

/** `queries`: the latest first, as the service lists them. */
export function chooseQueries(queries: KeptQuery[], view: View): ShownQuery[] {
  if (view === 'latest') return queries.map(once);
  if (view === 'slowest') return queries.toSorted((a, b) => b.durationMs - a.durationMs).map(once);
  const inVain = queries.filter(({ resultCount }) => resultCount === 0);
  return [...Map.groupBy(inVain, nameOf).values()]
    .flatMap(([query, ...others]) => (query === undefined ? [] : [{ query, times: 1 + others.length }]))
    .toSorted((a, b) => b.times - a.times);
}

/** How many found nothing, and the time that half of them took at most. `queries`: at least one. */
export function summarise(queries: KeptQuery[]): { inVain: number; medianMs: number } {
  const times = queries.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
  return {
    inVain: queries.filter(({ resultCount }) => resultCount === 0).length,
    medianMs: times[Math.ceil(times.length / 2) - 1] ?? 0,
  };
}
