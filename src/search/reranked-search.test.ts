/** A model is asked while the search holds no connection: not in the transaction of a replica. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ReadReplica } from '../database/replica/read-replica.ts';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { createStemMemory } from '../indexing/stems.ts';
import { createReplicatedSearch } from './replicated-search.ts';
import { type AskRelevance, searchReranked } from './reranked-search.ts';
import type { Search } from './search.ts';
import { importText, makeKnowledgeBase } from './testing/imported-texts.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

test('on a replica: after the transaction, and the details follow in another one', async () => {
  const { database } = suite;
  const owned = await makeKnowledgeBase(database);
  for (const title of ['A', 'B']) await importText(database, owned, { title, content: `numbat ${title}` });
  let reads = 0;
  let isReading = false;
  const replica: Pick<ReadReplica, 'read'> = {
    async read(findPosition, act) {
      if ((await findPosition()) === undefined) return undefined;
      reads += 1;
      isReading = true;
      return { result: await act(database).finally(() => (isReading = false)) };
    },
  };
  const replicated: Search = createReplicatedSearch(
    { primary: database, replica: replica as ReadReplica },
    createStemMemory(),
  );
  const ask = vi.fn<AskRelevance>(async (_, passages) => {
    expect(isReading).toBe(false);
    return { scores: passages.map(({ title }) => -(title.codePointAt(0) ?? 0)) };
  });
  const search = searchReranked(replicated, ask, { depth: 30 });
  const request = { ...owned, knowledgeBaseIds: undefined, query: 'numbat', limit: 1 };
  const details = { highlight: true, explain: true, contextPassages: 0 };
  const { passages } = await search({ ...request, details });
  expect(passages).toMatchObject([
    { title: 'A', highlights: [expect.anything()], explanation: { rerank: { formerRank: 2 } } },
  ]);
  expect([reads, ask.mock.calls.length]).toEqual([2, 1]);
  await search(request);
  expect(reads).toBe(3);
  await search({ ...request, rerank: false, details });
  expect([reads, ask.mock.calls.length]).toEqual([4, 2]);
});
