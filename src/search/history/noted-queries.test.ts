/** The last queries of an account are kept if it wants that, within bounds, and no query waits for it. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createAccount } from '../../database/rows/accounts.ts';
import {
  beginHistory,
  endHistory,
  forgetKnowledgeBase,
  readHistory,
  removeOldQueries,
} from '../../database/rows/history/kept-queries.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { createQueryHistory, type NotedQuery, STORED_AFTER_MS } from './noted-queries.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
const silent = pino({ level: 'silent' });

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());
afterEach(() => void vi.useRealTimers());

/** A query, each of a key of its own, unless `given` names one. */
const noted = (accountId: string, query: string, given: Partial<NotedQuery> = {}): NotedQuery => ({
  accountId,
  keyId: randomUUID(),
  request: { query },
  knowledgeBaseIds: [],
  resultCount: 0,
  durationMs: 0,
  ...given,
});

/** An account, with a history for an hour, and a server that notes its queries. */
async function open({ keeps = true } = {}) {
  const { database } = suite;
  const accountId = await createAccount(database, randomUUID(), 0);
  if (keeps) await beginHistory(database, accountId);
  await sql`UPDATE query_histories SET kept_since = kept_since - interval '1 hour'
    WHERE account_id = ${accountId}`.execute(database);
  const history = createQueryHistory(database, silent);
  const note = (query: string, given?: Partial<NotedQuery>) => history.note(noted(accountId, query, given));
  const texts = async (limit = 5_000) =>
    (await readHistory(database, accountId, limit)).queries.map(({ request }) => request.query);
  return { accountId, history, note, texts };
}

async function makeKnowledgeBase(accountId: string): Promise<string> {
  const id = randomUUID();
  await sql`INSERT INTO knowledge_bases (knowledge_base_id, account_id, name, description, created_at, updated_at)
    VALUES (${id}, ${accountId}, 'k', '', now(), now())`.execute(suite.database);
  return id;
}

test('queries are stored by themselves, with the time at which they were sent', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { accountId, note, texts } = await open();
  note('first', { durationMs: 60_000 });
  note('second', { durationMs: 7.4 });
  expect(await texts()).toEqual([]);
  vi.advanceTimersByTime(STORED_AFTER_MS);
  vi.useRealTimers();
  await expect.poll(() => texts()).toEqual(['second', 'first']);
  const { queries } = await readHistory(suite.database, accountId, 1);
  const [first, second] = [...(await readHistory(suite.database, accountId, 9)).queries].reverse();
  expect(queries).toMatchObject([{ resultCount: 0, durationMs: 7 }]);
  expect(Date.parse(second?.sentAt ?? '') - Date.parse(first?.sentAt ?? '')).toBeGreaterThan(59_000);
});

test('the last thousand are kept, and fewer where their requests are long', async () => {
  const { history, note, texts } = await open();
  for (let batch = 0; batch < 3; batch += 1) {
    for (let i = 0; i < 400; i += 1) note(`query ${batch} ${i}`);
    await history.store();
  }
  const kept = await texts();
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([1_000, 'query 2 399', 'query 0 200']);
  const long = '年'.repeat(8_192); // 24 KiB each
  for (let batch = 0; batch < 4; batch += 1) {
    for (let i = 0; i < 60; i += 1) note(`${batch} ${i} ${long}`.slice(0, 8_192));
    await history.store();
  }
  expect((await texts()).length).toBe(170);
});

test('a query is kept for 30 days, and read for as long', async () => {
  const { accountId, history, note, texts } = await open();
  const count = async () =>
    (
      await suite.database
        .selectFrom('kept_queries')
        .select('id')
        .where('account_id', '=', accountId)
        .execute()
    ).length;
  note('old');
  note('new');
  await history.store();
  await sql`UPDATE kept_queries SET sent_at = sent_at - interval '30 days'
    WHERE account_id = ${accountId} AND request ->> 'query' = 'old'`.execute(suite.database);
  expect([await texts(), await count()]).toEqual([['new'], 2]);
  await removeOldQueries(suite.database);
  expect([await texts(), await count()]).toEqual([['new'], 1]);
});

test('a knowledge base takes the queries that name it along, also those stored after its deletion', async () => {
  const { accountId, history, note, texts } = await open();
  const [deleted, other] = [await makeKnowledgeBase(accountId), await makeKnowledgeBase(accountId)];
  note('of both', { knowledgeBaseIds: [other, deleted] });
  note('of the other', { knowledgeBaseIds: [other] });
  note('of all');
  await history.store();
  note('of the deleted one, stored late', { knowledgeBaseIds: [deleted] });
  await sql`UPDATE knowledge_bases SET deleted_at = now() WHERE knowledge_base_id = ${deleted}`.execute(
    suite.database,
  );
  await forgetKnowledgeBase(suite.database, deleted);
  expect(await texts()).toEqual(['of all', 'of the other']);
  await history.store();
  expect(await texts()).toEqual(['of all', 'of the other']);
});

test('the end of a history removes what was kept, and what a server stores meanwhile', async () => {
  const { accountId, history, note, texts } = await open();
  note('kept');
  await history.store();
  note('noted before the end');
  const ending = suite.database.transaction().execute(async (transaction) => {
    await endHistory(transaction, accountId);
    const storing = history.store(); // waits for this transaction, or has ended before it
    await sql`SELECT pg_sleep(0.2)`.execute(transaction);
    return { storing };
  });
  await (await ending).storing;
  await beginHistory(suite.database, accountId);
  expect(await texts()).toEqual([]);
});

test('an account that keeps nothing costs a statement in five seconds, until it begins', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { accountId, history, note, texts } = await open({ keeps: false });
  note('before');
  await history.store();
  await beginHistory(suite.database, accountId); // by another server
  note('not noticed yet');
  await history.store();
  expect(await texts()).toEqual([]);
  history.noteFromNow(accountId);
  note('by this server');
  await history.store();
  expect(await texts()).toEqual(['by this server']);
  const there = createQueryHistory(suite.database, silent);
  await suite.database.transaction().execute((transaction) => endHistory(transaction, accountId));
  there.note(noted(accountId, 'while none are kept'));
  await there.store();
  await beginHistory(suite.database, accountId);
  vi.advanceTimersByTime(STORED_AFTER_MS);
  there.note(noted(accountId, 'noticed'));
  await there.store();
  expect(await texts()).toEqual(['noticed']);
});

test('steps of a search that somebody types are one query; other keys and whole queries are not steps', async () => {
  const { history, note, texts } = await open();
  const step = (query: string, keyId = 'typing') => note(query, { keyId, request: { query, prefix: true } });
  for (const query of ['d', 'do', 'dog', 'do', 'doc']) step(query);
  step('do', 'another');
  note('document', { keyId: 'typing' });
  note('document type', { keyId: 'typing' });
  await history.store();
  expect(new Set(await texts())).toEqual(new Set(['do', 'document', 'document type']));
});

test('what is noted is bounded, and a database that is unreachable loses queries, and throws nothing', async () => {
  const closed = await createTestDatabase();
  await closed.close();
  const warn = vi.fn();
  const history = createQueryHistory(closed.database, Object.assign(pino({ level: 'silent' }), { warn }));
  for (let i = 0; i < 100; i += 1) history.note(noted(randomUUID(), 'x'.repeat(2 ** 16)));
  await history.store();
  const lost = warn.mock.calls.map(([{ queries }]) => queries as number);
  expect(lost.length).toBeGreaterThan(0);
  for (const queries of lost) expect(queries).toBeLessThan(17);
});
