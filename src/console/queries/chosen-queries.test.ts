/** The views of the page of queries. */
import { expect, test } from 'vitest';
import type { KeptQuery } from '../../client/index.ts';
import { chooseQueries, summarise, type View } from './chosen-queries.ts';

let id = 0;
const kept = (query: string, resultCount: number, durationMs: number, ids?: string[]): KeptQuery => ({
  id: String(id++),
  sentAt: '2026-01-15T09:28:41.903Z',
  request: { query, ...(ids && { knowledgeBaseIds: ids }) },
  resultCount,
  durationMs,
});
const queries = [
  kept('leave', 4, 9),
  kept('年假', 0, 30),
  kept('Sabbatical ', 0, 7),
  kept('sabbatical', 0, 8, ['a']),
  kept('sabbatical', 0, 12),
];
const shown = (view: View) =>
  chooseQueries(queries, view).map(({ query, times }) => [query.request.query, times]);

test('the latest are as they come, the slowest by their time', () => {
  expect(shown('latest').map(([query]) => query)).toEqual(queries.map(({ request }) => request.query));
  expect(chooseQueries(queries, 'slowest').map(({ query }) => query.durationMs)).toEqual([30, 12, 9, 8, 7]);
});

test('what found nothing is there once, the most frequent first, whatever its case and spaces', () => {
  expect(shown('nothing')).toEqual([
    ['Sabbatical ', 2],
    ['年假', 1],
    ['sabbatical', 1],
  ]);
});

test('the summary counts what found nothing, and has the median of the times', () => {
  expect(summarise(queries)).toEqual({ inVain: 4, medianMs: 9 });
  expect(summarise(queries.slice(0, 2))).toEqual({ inVain: 1, medianMs: 9 });
});
