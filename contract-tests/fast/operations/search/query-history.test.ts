/** listQueries and setQueryHistory, status by status. */
import { expect, test } from 'vitest';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

testPromises('listQueries');
testPromises('setQueryHistory');

const textsOf = ({ queries }: { queries: { request: { query: string } }[] }) =>
  queries.map(({ request }) => request.query);

test('200: nothing is kept until somebody asks for it, and nothing of what was before', async () => {
  const { api } = await openAccount();
  await api.createKnowledgeBase({ name: 'Quiet' });
  await api.query({ query: 'before' });
  expect(await api.listQueries()).toEqual({ keptSince: null, queries: [] });
  await api.setQueryHistory(true);
  await api.query({ query: 'after' });
  expect(textsOf(await api.listQueries())).toEqual(['after']);
  await api.setQueryHistory(false);
  await api.query({ query: 'in between' });
  await api.setQueryHistory(true);
  expect((await api.listQueries()).queries).toEqual([]);
});

test('200: a query as it was asked, in any language; the same request is the same search', async () => {
  const { api } = await openAccount();
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Asked' });
  await api.setQueryHistory(true);
  const asked = [
    {
      query: 'إجازة "سنوية"',
      filter: 'year >= 2025 and team = "sales"',
      knowledgeBaseIds: [knowledgeBaseId],
    },
    { query: '年假 多少天？', mode: 'words' as const, minScore: 0.2, distinct: true },
    { query: 'छुट्टी 🏖\n\\', documentIds: [], maxPerDocument: 1 },
  ];
  for (const request of asked) await api.query(request);
  const { queries } = await api.listQueries();
  const [third, second, first] = queries.map(({ request }) => request);
  const filter = {
    type: 'and',
    filters: [
      { type: 'gte', key: 'year', value: 2025 },
      { type: 'eq', key: 'team', value: 'sales' },
    ],
  };
  expect(first).toMatchObject({ ...asked[0], filter });
  expect(second).toMatchObject(asked[1] ?? {});
  expect(third).toMatchObject(asked[2] ?? {});
  for (const { request } of queries) await api.query(request);
  expect(textsOf(await api.listQueries({ limit: 2 }))).toEqual([asked[0]?.query, asked[1]?.query]);
});

test('200: of what somebody types only the end is kept', async () => {
  const { api } = await openAccount();
  await api.setQueryHistory(true);
  for (const query of ['h', 'ho', 'hotle', 'ho', 'hotel']) await api.query({ query, prefix: true });
  await api.query({ query: 'hotel' });
  await api.query({ query: 'hotel' });
  // A server stores what it has noted every five seconds: on a busy machine in the midst of the typing.
  const texts = textsOf(await api.listQueries());
  expect(texts.slice(0, 2)).toEqual(['hotel', 'hotel']);
  expect(texts.length).toBeLessThan(5);
});

test('200: refused queries are not kept, nor those of another account', async () => {
  const { api, request } = await openAccount();
  await api.setQueryHistory(true);
  await request('query', { query: 'refused', limit: 0 });
  const other = await openAccount();
  await other.api.query({ query: 'theirs' });
  expect((await api.listQueries()).queries).toEqual([]);
  expect((await other.api.listQueries()).keptSince).toBe(null);
});
