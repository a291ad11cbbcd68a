import { expect, test, vi } from 'vitest';
import { searchByModel } from './model-search.ts';
import type { SearchAnswer, SearchRequest } from './search.ts';

const embedding = { generation: 2, vector: Float32Array.of(1, 0) };
const nothing: SearchAnswer = { passages: [], phrasesAsWords: [], warnings: [] };
const asked = (query: string, mode?: SearchRequest['mode']): SearchRequest => ({
  accountId: 'account',
  knowledgeBaseIds: undefined,
  query,
  limit: 10,
  mode,
});

test.each([
  ['where do guests sleep', undefined, 1],
  ['where do guests sleep', 'meaning', 1],
  ['where do guests sleep', 'words', 0],
  ['"where do guests sleep"', 'both', 0],
  ['guests "sleep here"', 'meaning', 0],
  ['CVE-2024-4367', undefined, 0],
  ['4711 0815', undefined, 0],
  ['what does CVE-2024-4367 break', undefined, 1],
  ['2024年的报告', undefined, 1],
  ['?!', undefined, 0],
] as const)('%s, by %s, asks the model %d times', async (query, mode, times) => {
  const embedQuery = vi.fn(async () => ({ embedding }));
  const embeddings: unknown[] = [];
  const search = searchByModel(async ({ embed }) => {
    embeddings.push(await embed?.(), await embed?.()); // as after a change from a replica to the primary
    return nothing;
  }, embedQuery);
  expect(await search(asked(query, mode))).toEqual(nothing);
  expect(embedQuery).toHaveBeenCalledTimes(times);
  expect(embeddings).toEqual(times === 0 ? [undefined, undefined] : [embedding, embedding]);
});

test('what the model could not do is said beside the other warnings', async () => {
  const warning = { code: 'MEANING_TIMEOUT', message: 'Too late.' } as const;
  const other = { code: 'RERANK_TIMEOUT', message: 'Later.' } as const;
  const search = searchByModel(
    async ({ embed }) => {
      expect(await embed?.()).toBeUndefined();
      return { ...nothing, warnings: [other] };
    },
    async () => ({ warning }),
  );
  expect((await search(asked('where do guests sleep'))).warnings).toEqual([other, warning]);
});

test('a refused search asks no model', async () => {
  const embedQuery = vi.fn();
  const search = searchByModel(async () => Promise.reject(new Error('refused')), embedQuery);
  await expect(search(asked('where do guests sleep'))).rejects.toThrow('refused');
  expect(embedQuery).not.toHaveBeenCalled();
});
