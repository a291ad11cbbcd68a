/** Requests are counted exactly, also by several servers at once, and in few statements. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase, createPool, type Database } from './database.ts';
import { createRateLimitCounter } from './rate-limit-counters.ts';
import { createTestDatabase } from './testing/test-database.ts';

const WINDOW_SECONDS = 60;

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let others: Database[];
let keyId: string;

beforeAll(async () => {
  suite = await createTestDatabase();
  others = [1, 2].map(() => createDatabase(createPool(suite.connection, 2, () => {})));
});

afterAll(async () => {
  await Promise.all(others.map((other) => other.destroy()));
  await suite.close();
});

beforeEach(() => {
  keyId = uuidv7();
});

const range = (length: number) => Array.from({ length }, (_, index) => index + 1);

const byNumber = (left: number, right: number) => left - right;

test('three servers at once, one with most of the load, give each number of two keys once', async () => {
  const counters = [suite.database, ...others].map((database) =>
    createRateLimitCounter(database, WINDOW_SECONDS),
  );
  const keys = [keyId, uuidv7()];
  const numbers = await Promise.all(
    keys.map(async (key) => {
      const loads = counters.flatMap((count, server) => range(server === 0 ? 400 : 50).map(() => count(key)));
      return (await Promise.all(loads)).map(({ ordinal }) => ordinal).sort(byNumber);
    }),
  );
  expect(numbers).toEqual([range(500), range(500)]);
});

test('requests of one server get their numbers in order of arrival', async () => {
  const count = createRateLimitCounter(suite.database, WINDOW_SECONDS);
  const counted = await Promise.all(range(50).map(() => count(keyId)));
  expect(counted.map(({ ordinal }) => ordinal)).toEqual(range(50));
});

test('two hundred requests at once of twenty keys take two statements', async () => {
  let statements = 0;
  const counting = suite.database.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements += 1;
      return result;
    },
  });
  const count = createRateLimitCounter(counting, WINDOW_SECONDS);
  await Promise.all(range(200).map((number) => count(`${keyId} ${number % 20}`)));
  expect(statements).toBe(2);
});

test('a window ends a minute after its first request; the first request of the next one is number 1', async () => {
  const count = createRateLimitCounter(suite.database, WINDOW_SECONDS);
  const before = performance.now();
  const first = await count(keyId);
  expect(first.endsAtMs).toBeGreaterThanOrEqual(before + 60_000);
  expect(first.endsAtMs).toBeLessThanOrEqual(performance.now() + 60_000);
  await count(keyId);
  await sql`UPDATE rate_limit_counters SET ends_at = now() WHERE key_id = ${keyId}`.execute(suite.database);
  expect((await count(keyId)).ordinal).toBe(1);
  expect((await count(keyId)).ordinal).toBe(2);
});

test('a request that cannot be counted rejects, and counting goes on when the database is back', async () => {
  const count = createRateLimitCounter(suite.database, WINDOW_SECONDS);
  await sql`ALTER TABLE rate_limit_counters RENAME TO elsewhere`.execute(suite.database);
  const lost = await Promise.allSettled([count(keyId), count(keyId)]);
  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await sql`ALTER TABLE elsewhere RENAME TO rate_limit_counters`.execute(suite.database);
  expect((await count(keyId)).ordinal).toBe(1);
});

test('a statement that hangs is refused with 503, and later requests are counted', async () => {
  const count = createRateLimitCounter(suite.database, WINDOW_SECONDS);
  await count(keyId);
  await suite.database.transaction().execute(async (transaction) => {
    await sql`SELECT 1 FROM rate_limit_counters WHERE key_id = ${keyId} FOR UPDATE`.execute(transaction);
    const stuck = expect(count(keyId)).rejects.toMatchObject({ errorCode: 'SERVICE_UNAVAILABLE' });
    const next = count(uuidv7());
    await stuck;
    expect((await next).ordinal).toBe(1);
  });
});
