/** Statements whose request has ended are cancelled, on a real PostgreSQL. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '../../serve/testing/test-service.ts';
import { generateApiKey } from '../../terms/api-key.ts';
import { insertApiKey } from '../rows/api-keys.ts';
import { isCitus } from '../testing/new-database.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { withinBounds, withStatementBound } from './bounded-statements.ts';
import { createDatabase, type Database } from './database.ts';
import { createPool } from './pool.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
/** A pool of one connection, so that all statements use the same one. */
let database: Database;
let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  suite = await createTestDatabase();
  database = createDatabase(createPool(suite.connection, 1, () => {}));
});
afterAll(async () => {
  await service.close();
  await database.destroy();
  await suite.close();
});

const sleep = (seconds: number) => sql`SELECT pg_sleep(${seconds}::float8)`.execute(database);
const never = () => new AbortController().signal;

const readPid = async () =>
  (await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(database)).rows[0]?.pid;

/** The statements that run in the database of `asking`, without its own, and the processes that run them. */
async function readRunning(asking: Database) {
  const { rows } = await sql<{ pid: number; query: string }>`
    SELECT pid, query FROM pg_stat_activity
    WHERE state = 'active' AND pid <> pg_backend_pid() AND datname = current_database()
      AND application_name = 'knowledge-retrieval'`.execute(asking);
  return rows;
}

test('a statement that takes too long is cancelled, and its error says so', async () => {
  const pid = await readPid();
  // Without a bound the statement ends by itself after five seconds.
  const searching = withinBounds({ timeMaxMs: 400, signal: never }, () => sleep(5));
  await expect(searching).rejects.toMatchObject({ errorCode: 'SERVICE_UNAVAILABLE' });
  // On Citus the connection is replaced, because a server of shards may hang.
  if (!isCitus) expect(await readPid()).toBe(pid);
});

test('the bound holds for all statements together', async () => {
  const searching = withinBounds({ timeMaxMs: 600, signal: never }, async () => {
    for (let i = 0; i < 10; i++) await sleep(0.2);
  });
  await expect(searching).rejects.toMatchObject({ errorCode: 'SERVICE_UNAVAILABLE' });
});

test('the bound of each statement begins when it has its connection', async () => {
  const holding = sleep(1.5);
  const sleepFor = (seconds: number) => withStatementBound(1_000, () => sleep(seconds));
  await expect(sleepFor(0)).resolves.toMatchObject({ rows: [{}] });
  await holding;
  await expect(sleepFor(30)).rejects.toMatchObject({ errorCode: 'SERVICE_UNAVAILABLE' });
});

test('a statement is cancelled when its request ends, also during the statement', async () => {
  const hangingUp = new AbortController();
  const reason = new Error('hung up');
  const searching = withinBounds({ timeMaxMs: 60_000, signal: () => hangingUp.signal }, () => sleep(30));
  searching.catch(() => {});
  await vi.waitUntil(async () => (await readRunning(suite.database)).length > 0);
  hangingUp.abort(reason);
  await expect(searching).rejects.toBe(reason);
  expect(await readRunning(suite.database)).toEqual([]);
});

test('a cancelled statement does not affect the next one on its connection', async () => {
  for (let i = 0; i < 20; i++) {
    const cancelled = withinBounds({ timeMaxMs: 1 + i, signal: never }, () => sleep(30));
    const next = sleep(0.01);
    await expect(cancelled).rejects.toMatchObject({ errorCode: 'SERVICE_UNAVAILABLE' });
    await expect(next).resolves.toBeDefined();
  }
});

test('statements within their bounds, and those without bounds, are not cancelled', async () => {
  await expect(withinBounds({ timeMaxMs: 5_000, signal: never }, () => sleep(0.5))).resolves.toBeDefined();
  await expect(sleep(0.5)).resolves.toBeDefined();
  await expect(
    withinBounds({ timeMaxMs: 5_000, signal: never }, () => sql`SELECT 1 / 0`.execute(database)),
  ).rejects.toMatchObject({ code: '22012' });
});

/** Imports a text, and locks the balance that a search has to change. */
async function holdBalance() {
  const { call } = service;
  const { body } = await call('createKnowledgeBase', { name: 'one' });
  await call('importTextContent', { knowledgeBaseId: body.data.id, title: 'T', content: 'an okapi' });
  const held = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holding = service.service.database.transaction().execute(async (transaction) => {
    await sql`SELECT FROM account_balances FOR UPDATE`.execute(transaction);
    isHeld.resolve();
    await held.promise;
  });
  await isHeld.promise;
  const letGo = async () => {
    held.resolve();
    await holding;
  };
  return letGo;
}

test('the statement of a query is cancelled when its client hangs up', async () => {
  const letGo = await holdBalance();
  const hangingUp = new AbortController();
  const query = (signal: AbortSignal) =>
    fetch(`${service.address}/v1/query`, {
      method: 'POST',
      headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'okapi' }),
      signal,
    });
  const readPids = async () =>
    (await readRunning(service.service.database))
      .filter((each) => each.query.includes('UPDATE account_balances'))
      .map(({ pid }) => pid);
  const kept = query(never());
  await expect.poll(readPids).toHaveLength(1);
  const keptPids = await readPids();
  const querying = query(hangingUp.signal);
  querying.catch(() => {});
  await expect.poll(readPids).toHaveLength(2);
  hangingUp.abort();
  await expect(querying).rejects.toThrow();
  // Of two queries that take too long, the first one would be cancelled first.
  await expect.poll(readPids).toEqual(keptPids);
  await letGo();
  await kept;
});

/** The table: one that only the counting statement of the operation reads. */
test.each([
  ['getUsage', 'documents'],
  ['listKnowledgeBases', 'documents_without_vectors'],
  ['getKnowledgeBase', 'documents_without_vectors'],
])('%s counts what a key with a filter sees until its client hangs up', async (operationId, table) => {
  const { database } = service.service;
  const { body } = await service.call('createKnowledgeBase', { name: operationId });
  const { id: accountId } = await database.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const apiKey = generateApiKey();
  const filter = { type: 'eq', key: 'team', value: 'sales' } as const;
  await insertApiKey(database, apiKey, { accountId, name: 'sales', scope: 'search', filter });
  const query = operationId === 'getKnowledgeBase' ? `?knowledgeBaseId=${body.data.id}` : '';
  const hangingUp = new AbortController();
  const readCounting = async () =>
    (await readRunning(database)).filter((each) => each.query.includes('::jsonpath')).length;
  await database.transaction().execute(async (transaction) => {
    await sql`LOCK TABLE ${sql.table(table)} IN ACCESS EXCLUSIVE MODE`.execute(transaction);
    const counting = fetch(`${service.address}/v1/${operationId}${query}`, {
      headers: { 'x-api-key': apiKey },
      signal: hangingUp.signal,
    });
    counting.catch(() => {});
    await expect.poll(readCounting).toBe(1);
    hangingUp.abort();
    await expect(counting).rejects.toThrow();
    await expect.poll(readCounting).toBe(0);
  });
});

test('a query that takes too long is answered with 503 and the reason, and costs nothing', async () => {
  const before = await service.call('getBalance');
  const letGo = await holdBalance();
  const { status, headers, body } = await service.call('query', { query: 'okapi' });
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toBe('1');
  expect(body).toMatchObject({ errorCode: 'SERVICE_UNAVAILABLE' });
  expect(body.message).toContain('The search took too long');
  await letGo();
  expect((await service.call('getBalance')).body.data).toEqual(before.body.data);
});
