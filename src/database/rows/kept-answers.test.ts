/** One key on two servers of a database has one effect and one answer for 24 hours. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSharedDatabase } from '../testing/test-database.ts';
import { commitOnce, findKeptAnswer, type KeyedRequest, removeExpiredAnswers } from './kept-answers.ts';

let suite: Awaited<ReturnType<typeof createSharedDatabase>>;
let request: KeyedRequest;

beforeAll(async () => {
  suite = await createSharedDatabase();
});

afterAll(() => suite.close());

beforeEach(() => {
  request = { accountId: uuidv7(), operation: 'createKnowledgeBase', key: 'key', hash: hashOf('one body') };
});

const hashOf = (body: string) => createHash('sha256').update(body).digest();

const makesAgo = (age: string) =>
  sql`UPDATE idempotency_keys SET created_at = now() - ${age}::interval`.execute(suite.database);

/** An effect that lasts until the test ends it. */
function createSlowEffect(answer: object) {
  const { promise, resolve, reject } = Promise.withResolvers<object>();
  const started = Promise.withResolvers<void>();
  const effect = () => {
    started.resolve();
    return promise;
  };
  return { effect, started: started.promise, succeed: () => resolve(answer), fail: reject };
}

/** Resolves when a connection of this database waits for a lock. */
async function untilOneWaits(): Promise<void> {
  const { rows } = await sql`SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(suite.database);
  if (rows.length === 0) await untilOneWaits();
}

const never = () => Promise.reject(new Error('had its effect again'));

test('a concurrent request on another server waits, and gets the first answer, byte for byte', async () => {
  const first = createSlowEffect({ z: 'Ünïcode', a: [1, { '2': null }] });
  const one = commitOnce(suite.database, request, first.effect);
  await first.started;
  const two = commitOnce(suite.other, request, never);
  await untilOneWaits();
  first.succeed();
  expect(JSON.stringify(await two)).toBe(JSON.stringify(await one));
  expect(JSON.stringify(await findKeptAnswer(suite.other, request))).toBe(
    '{"z":"Ünïcode","a":[1,{"2":null}]}',
  );
});

test('when the first request fails, the waiting one has its effect', async () => {
  const first = createSlowEffect({});
  const one = commitOnce(suite.database, request, first.effect);
  await first.started;
  const two = commitOnce(suite.other, request, async () => ({ done: 'by the second' }));
  await untilOneWaits();
  first.fail(new Error('failed'));
  await expect(one).rejects.toThrow('failed');
  expect(await two).toEqual({ done: 'by the second' });
  expect(await commitOnce(suite.database, request, never)).toEqual({ done: 'by the second' });
});

test('another body under the key is refused, also during the first request', async () => {
  const first = createSlowEffect({});
  const one = commitOnce(suite.database, request, first.effect);
  await first.started;
  const changed = { ...request, hash: hashOf('another body') };
  const two = commitOnce(suite.other, changed, never);
  await untilOneWaits();
  first.succeed();
  await expect(two).rejects.toMatchObject({ errorCode: 'IDEMPOTENCY_KEY_REUSED' });
  await expect(findKeptAnswer(suite.other, changed)).rejects.toMatchObject({
    errorCode: 'IDEMPOTENCY_KEY_REUSED',
  });
  await one;
});

test('an answer is kept for 24 hours; then the key is free, also for another body', async () => {
  await commitOnce(suite.database, request, async () => ({ made: 1 }));
  await makesAgo('23 hours 59 minutes');
  expect(await findKeptAnswer(suite.other, request)).toEqual({ made: 1 });
  expect(await removeExpiredAnswers(suite.database)).toBe(0);
  await makesAgo('24 hours');
  expect(await findKeptAnswer(suite.other, request)).toBeUndefined();
  const next = { ...request, hash: hashOf('another body') };
  expect(await commitOnce(suite.other, next, async () => ({ made: 2 }))).toEqual({ made: 2 });
  expect(await findKeptAnswer(suite.database, next)).toEqual({ made: 2 });
});

test('garbage collection removes expired answers only', async () => {
  await commitOnce(suite.database, request, async () => ({ made: 1 }));
  await makesAgo('25 hours');
  const young = { ...request, key: 'young' };
  await commitOnce(suite.database, young, async () => ({ made: 2 }));
  expect(await removeExpiredAnswers(suite.database)).toBeGreaterThanOrEqual(1);
  const { rows } = await sql`SELECT idempotency_key FROM idempotency_keys`.execute(suite.database);
  expect(rows).toEqual([{ idempotency_key: 'young' }]);
});
