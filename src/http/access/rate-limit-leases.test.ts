/**
 * Several servers number the requests of a key from leases: no number up to the limit is used twice or lost, and few
 * requests cost a statement.
 */
import fc from 'fast-check';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createDatabase, type Database } from '../../database/connection/database.ts';
import { createPool } from '../../database/connection/pool.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { createRateLimitLeases, leaseAhead } from './rate-limit-leases.ts';

const LIMIT = 500;
const MINUTE = { requestsPerWindow: LIMIT, windowSeconds: 60 };

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let databases: Database[];
let keyId: string;

beforeAll(async () => {
  suite = await createTestDatabase();
  const others = [1, 2].map(() => createDatabase(createPool(suite.connection, 2, () => {})));
  databases = [suite.database, ...others];
});

afterAll(async () => {
  await Promise.all(databases.slice(1).map((other) => other.destroy()));
  await suite.close();
});

beforeEach(() => {
  keyId = uuidv7();
});

type Server = ReturnType<typeof createRateLimitLeases>;

const range = (length: number) => Array.from({ length }, (_, index) => index + 1);

/** Sends requests at once. Returns the numbers up to the limit, in the order of arrival. */
async function pass(server: Server | undefined, requests: number, limit = LIMIT): Promise<number[]> {
  const counted = await Promise.all(range(requests).map(() => server?.(keyId)));
  return counted.flatMap((each) => (each && each.ordinal <= limit ? [each.ordinal] : []));
}

/** Sends requests one after another until one is refused. Returns the numbers up to the limit. */
async function passToEnd(server: Server | undefined, limit: number): Promise<number[]> {
  const [next] = await pass(server, 1, limit);
  return next === undefined ? [] : [next, ...(await passToEnd(server, limit))];
}

/** `suite.database`, with a function that returns the number of statements so far. */
function countStatements(): { database: Database; statements: () => number } {
  let statements = 0;
  const database = suite.database.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements += 1;
      return result;
    },
  });
  return { database, statements: () => statements };
}

const byNumber = (left: number, right: number) => left - right;

test('three servers at once, one with most of the load, use each number of the limit once', async () => {
  const servers = databases.map((database) => createRateLimitLeases(database, MINUTE));
  const numbers = await Promise.all(servers.map((server, index) => pass(server, index === 0 ? 900 : 500)));
  expect(numbers.flat().sort(byNumber)).toEqual(range(LIMIT));
});

test.each([
  ['a slow key gets no lease', 1, 1200, 1, 0],
  ['a lease is for a second', 100, 1000, 1, 99],
  ['one that lasts shorter doubles', 8, 20, 1, 15],
  ['one that was used within no time doubles', 8, 0, 1, 15],
  ['one that lasts longer shrinks', 100, 4000, 1, 24],
  ['requests that wait need no lease', 8, 20, 30, 0],
])('%s: of %d requests used in %d ms, %d waiting, %d are leased', (_, used, elapsedMs, waiting, ahead) => {
  expect(leaseAhead(used, elapsedMs, waiting)).toBe(ahead);
});

test('requests of one server get their numbers in order of arrival', async () => {
  const server = createRateLimitLeases(suite.database, MINUTE);
  expect([...(await pass(server, 50)), ...(await pass(server, 50))]).toEqual(range(100));
});

/** What servers get at once; then the server with the index `killed`, if there is one, is replaced by a new one. */
type Step = { requests: number[]; killed: number };

/** One server's requests in each step are up to 20, as many as the connections of a busy client. */
const stepsOfServers = fc.array(
  fc.record<Step>({
    requests: fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20)),
    killed: fc.oneof({ weight: 5, arbitrary: fc.constant(-1) }, fc.nat(2)),
  }),
  { minLength: 1, maxLength: 8 },
);

test('servers never pass the limit; numbers are missing only in leases of other servers, or killed ones', async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 300 }),
    stepsOfServers,
    async (limit, steps) => {
      keyId = uuidv7();
      const start = (index: number) =>
        createRateLimitLeases(databases[index] ?? suite.database, { ...MINUTE, requestsPerWindow: limit });
      const servers = [0, 1, 2].map(start);
      const passed: number[] = [];
      let killed = 0;
      for (const { requests, killed: index } of steps) {
        const answers = requests.map((length, server) => pass(servers[server], length, limit));
        passed.push(...(await Promise.all(answers)).flat());
        if (servers[index] === undefined) continue;
        servers[index] = start(index);
        killed += 1;
      }
      // Once a server has refused the key, the others can use only their leases: the limit is used up.
      passed.push(...(await passToEnd(servers[0], limit)));
      const { rows } = await sql<{ requests: number }>`
      SELECT requests FROM rate_limit_counters WHERE key_id = ${keyId}`.execute(suite.database);
      expect(rows[0]?.requests).toBeGreaterThanOrEqual(limit);
      for (const server of servers.slice(1)) passed.push(...(await passToEnd(server, limit)));

      const used = new Set(passed);
      expect(used.size).toBe(passed.length);
      expect(Math.max(...passed)).toBeLessThanOrEqual(limit);
      expect(limit - used.size).toBeLessThanOrEqual(killed * Math.floor(limit / 10));
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

/** The time of the database's clock, and the end of the key's window, in milliseconds. */
async function readWindow(): Promise<{ nowMs: number; endsAtMs: number }> {
  const { rows } = await sql<{ nowMs: number; endsAtMs: number }>`
    SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs",
      (SELECT extract(epoch FROM ends_at)::float8 * 1000 FROM rate_limit_counters WHERE key_id = ${keyId}) AS "endsAtMs"
  `.execute(suite.database);
  if (rows[0] === undefined) throw new Error('no time');
  return rows[0];
}

test.each([40, 5000])(
  'no window of two servers has more than %d requests, and no lease outlives its window',
  async (limit) => {
    const { database, statements } = countStatements();
    const policy = { requestsPerWindow: limit, windowSeconds: 0.2 };
    const servers = [1, 2].map(() => ({ take: createRateLimitLeases(database, policy), endsAtMs: 0 }));
    /** The end of each window by the database → the numbers used in it. */
    const windows = new Map<number, number[]>();
    let leased = 0;
    for (let step = 0; windows.size < 4; step++) {
      // Both get many requests in a row, so that they lease many.
      const server = servers[step % 50 < 30 ? 0 : 1];
      if (server === undefined) break;
      const before = { ...(await readWindow()), statements: statements() };
      const [number] = await pass(server.take, 1, limit);
      const isLeased = statements() === before.statements;
      if (!isLeased) server.endsAtMs = (await readWindow()).endsAtMs;
      if (number === undefined) continue;
      if (isLeased) {
        leased += 1;
        expect(before.nowMs).toBeLessThan(server.endsAtMs);
      }
      windows.set(server.endsAtMs, [...(windows.get(server.endsAtMs) ?? []), number]);
    }
    for (const numbers of windows.values()) {
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(Math.max(...numbers)).toBeLessThanOrEqual(limit);
    }
    expect(leased).toBeGreaterThan(0);
  },
);

test('two hundred requests at once of twenty keys take two statements', async () => {
  const { database, statements } = countStatements();
  const server = createRateLimitLeases(database, MINUTE);
  await Promise.all(range(200).map((number) => server(`${keyId} ${number % 20}`)));
  expect(statements()).toBe(2);
});

test('of a limit of 500, used up as fast as possible, few requests take a statement, and no refused one', async () => {
  // The clock stands still: a lease is the larger, the faster the lease before was used up.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { database, statements } = countStatements();
  const server = createRateLimitLeases(database, MINUTE);
  expect(await passToEnd(server, LIMIT)).toEqual(range(LIMIT));
  // 48: the last 20 requests take 15 of them.
  expect(statements()).toBeLessThan(60);
  const before = statements();
  expect(await pass(server, 100)).toEqual([]);
  expect(statements()).toBe(before);
});

test('a window ends a minute after its first request; the first request of the next one is number 1', async () => {
  const server = createRateLimitLeases(suite.database, MINUTE);
  const before = performance.now();
  const first = await server(keyId);
  expect(first.endsAtMs).toBeGreaterThanOrEqual(before + 60_000);
  expect(first.endsAtMs).toBeLessThanOrEqual(performance.now() + 60_000);
  await sql`UPDATE rate_limit_counters SET ends_at = now() WHERE key_id = ${keyId}`.execute(suite.database);
  expect(await pass(server, 2)).toEqual([1, 2]);
});

test('a window ends, although the clock of the database was set back by hours', async () => {
  const server = createRateLimitLeases(suite.database, MINUTE);
  await server(keyId);
  await sql`UPDATE rate_limit_counters SET requests = ${LIMIT}, leased = 0, ends_at = now() + interval '2 hours'
    WHERE key_id = ${keyId}`.execute(suite.database);
  expect(await pass(createRateLimitLeases(suite.database, MINUTE), 1)).toEqual([1]);
});

test('a request that cannot be counted rejects, and counting goes on when the database is back', async () => {
  const server = createRateLimitLeases(suite.database, MINUTE);
  await sql`ALTER TABLE rate_limit_counters RENAME TO elsewhere`.execute(suite.database);
  const lost = await Promise.allSettled([server(keyId), server(keyId)]);
  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await sql`ALTER TABLE elsewhere RENAME TO rate_limit_counters`.execute(suite.database);
  expect((await server(keyId)).ordinal).toBe(1);
});

test('a statement that hangs is refused with 503, and later requests are counted', async () => {
  const server = createRateLimitLeases(suite.database, MINUTE);
  await server(keyId);
  await suite.database.transaction().execute(async (transaction) => {
    await sql`SELECT 1 FROM rate_limit_counters WHERE key_id = ${keyId} FOR UPDATE`.execute(transaction);
    const stuck = expect(server(keyId)).rejects.toMatchObject({ errorCode: 'SERVICE_UNAVAILABLE' });
    const next = server(uuidv7());
    await stuck;
    expect((await next).ordinal).toBe(1);
  });
});
