/** Lists without `limit`: a page is full after a thousand entries. */
import { expect, test } from 'vitest';
import { createInParallel } from '../../harness/create-in-parallel.ts';
import { openAccount } from '../../harness/service/opened-account.ts';

test('200: without limit a page has up to 1000 knowledge bases, by createdAt and id, descending', async () => {
  const { api: full } = await openAccount({ knowledgeBaseLimit: 1001 });
  const created = await createInParallel(1001, (index) => full.createKnowledgeBase({ name: `No. ${index}` }));
  const { data, pagination } = await full.listKnowledgeBases();
  expect(data).toHaveLength(1000);
  expect(pagination.hasMore).toBe(true);
  const rest = await full.listKnowledgeBases({ cursor: pagination.nextCursor ?? '' });
  expect(rest.data).toHaveLength(1);
  expect(rest.pagination).toEqual({ nextCursor: null, hasMore: false });
  const all = [...data, ...rest.data];
  expect(new Set(all.map(({ id }) => id))).toEqual(new Set(created.map(({ id }) => id)));
  const keys = all.map(({ createdAt, id }) => `${createdAt} ${id}`);
  expect(keys).toEqual(keys.toSorted().toReversed());
});

test('200: without limit a page has up to 1000 documents, ordered by createdAt and id, descending', async () => {
  const { api } = await openAccount();
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Listed' });
  await createInParallel(1001, (index) =>
    api.importTextContent({ knowledgeBaseId, title: `No. ${index}`, content: `word${index}` }),
  );
  const { data, pagination } = await api.listDocuments({ knowledgeBaseId });
  expect(data).toHaveLength(1000);
  expect(pagination.hasMore).toBe(true);
  const rest = await api.listDocuments({ knowledgeBaseId, cursor: pagination.nextCursor ?? '' });
  expect(rest.data).toHaveLength(1);
  expect(rest.pagination).toEqual({ nextCursor: null, hasMore: false });
  const all = [...data, ...rest.data];
  expect(new Set(all.map(({ title }) => title)).size).toBe(1001);
  const keys = all.map(({ createdAt, id }) => `${createdAt} ${id}`);
  expect(keys).toEqual(keys.toSorted().toReversed());
});
