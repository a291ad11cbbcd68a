/**
 * The rate limit of a key over all servers of a database: it refuses without a query, and lets nothing pass that is not
 * counted.
 */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase } from '../../database/connection/database.ts';
import { createPool } from '../../database/connection/pool.ts';
import { createSharedDatabase } from '../../database/testing/test-database.ts';
import { isUnavailable, type ServiceError } from '../../terms/errors.ts';
import { createRateLimit } from './rate-limit.ts';

/** The largest limit of which no server leases anything: after the first request less than ten are left. */
const LIMIT = 10;

let suite: Awaited<ReturnType<typeof createSharedDatabase>>;
let keyId: string;

beforeAll(async () => {
  suite = await createSharedDatabase();
});

afterAll(() => suite.close());

beforeEach(() => {
  keyId = uuidv7();
});

type Limit = ReturnType<typeof createRateLimit>;

/** Sends one request by each limit, one after another. Returns whether each passed. */
async function passBy(limits: Limit[]): Promise<boolean[]> {
  const passed: boolean[] = [];
  for (const limit of limits) {
    passed.push(
      await limit(keyId).then(
        () => true,
        () => false,
      ),
    );
  }
  return passed;
}

const expected = [...Array<boolean>(LIMIT).fill(true), ...Array<boolean>(10).fill(false)];

test('of a small limit exactly the first N requests pass, in any distribution over two servers', async () => {
  const servers = [createRateLimit(suite.database, LIMIT), createRateLimit(suite.other, LIMIT)] as const;
  expect(await passBy(expected.map((_, index) => servers[index % 2 === 0 ? 0 : 1]))).toEqual(expected);
  keyId = uuidv7();
  expect(await passBy(expected.map((_, index) => servers[index === 3 ? 1 : 0]))).toEqual(expected);
  keyId = uuidv7();
  expect(await passBy(expected.map((_, index) => servers[index < LIMIT / 2 ? 0 : 1]))).toEqual(expected);
});

test('a key that has used up its limit is refused without the database until the minute is over', async () => {
  const database = createDatabase(createPool(suite.connection, 2, () => {}));
  const limit = createRateLimit(database, 1);
  await limit(keyId);
  await database.destroy();
  const refusal: ServiceError = await limit(keyId).catch((error) => error);
  expect(refusal).toMatchObject({ errorCode: 'RATE_LIMITED', headers: { ratelimit: '"default";r=0;t=60' } });
  expect(refusal.headers['retry-after']).toBe('60');
});

test('requests pass again on every server as soon as the minute is over', async () => {
  await createRateLimit(suite.other, 1)(keyId);
  await sql`UPDATE rate_limit_counters SET ends_at = now() WHERE key_id = ${keyId}`.execute(suite.database);
  expect(await createRateLimit(suite.database, 1)(keyId)).toMatchObject({ ratelimit: '"default";r=0;t=60' });
});

/** Nothing listens on this port. */
const away = createDatabase(
  createPool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' }, 1, () => {}),
);

test('while the database is down every request is answered 503', async () => {
  const reason = await createRateLimit(away, LIMIT)(keyId).catch((error) => error);
  expect(isUnavailable(reason)).toBe(true);
});

test('without a limit no request is counted, and there are no header fields', async () => {
  expect(await createRateLimit(away, 0)(keyId)).toEqual({});
});
