/** The charge of a search. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { withinBounds } from '../../database/connection/bounded-statements.ts';
import { createDatabase } from '../../database/connection/database.ts';
import { createPool } from '../../database/connection/pool.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { createAccount, readBalance } from '../../database/rows/accounts.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import type { Search } from '../search.ts';
import { createChargedSearch } from './charged-search.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

const ANSWER = { passages: [], phrasesAsWords: [], warnings: [] };

/** A search of an account with these credits, and how many searches have come to their ranking. */
async function chargedSearch(credits: number, rank = async () => ANSWER, database = suite.database) {
  const accountId = await createAccount(database, randomUUID(), credits);
  const counts = { ranked: 0 };
  const search: Search = async ({ admit }) => {
    await admit?.(database);
    counts.ranked++;
    return await rank();
  };
  const charged = createChargedSearch(database, search);
  const request = { accountId, knowledgeBaseIds: undefined, query: 'ibex', limit: 1 };
  return {
    counts,
    accountId,
    searchFor: (price: number) => charged({ ...request, price }),
    balance: () => readBalance(database, accountId),
  };
}

const refusal = { errorCode: 'INSUFFICIENT_CREDITS' };

test('an account pays for its answer; one that has paid is refused after the ranking, and then before it', async () => {
  const { searchFor, counts, balance } = await chargedSearch(3);
  expect(await searchFor(2)).toEqual(ANSWER);
  await expect(searchFor(2)).rejects.toMatchObject(refusal);
  expect(counts.ranked).toBe(2);
  await expect(searchFor(2)).rejects.toMatchObject(refusal);
  expect(counts.ranked).toBe(2);
  expect(await balance()).toBe(1);
});

test('a search that fails, and one without a price, cost nothing', async () => {
  const failing = await chargedSearch(3, () => Promise.reject(new Error('the index is broken')));
  await expect(failing.searchFor(2)).rejects.toThrow('the index is broken');
  expect(await failing.balance()).toBe(3);
  const { searchFor, balance } = await chargedSearch(0);
  expect(await searchFor(0)).toEqual(ANSWER);
  expect(await balance()).toBe(0);
});

const divide = prepare(
  'divide_in_transaction',
  ['by'],
  ({ by }) => sql<{ id: string }>`SELECT pg_current_xact_id()::xid::text AS id, 6 / ${by}::integer AS result`,
);

test('who has paid before pays in the transaction of the ranking, and nothing for one that fails', async () => {
  const { database } = suite;
  const ranking = { by: 3, transaction: '' };
  const { accountId, searchFor, balance } = await chargedSearch(9, async () => {
    const [row] = await divide(database, ranking);
    ranking.transaction = row?.id ?? '';
    return ANSWER;
  });
  for (let i = 0; i < 3; i++) await searchFor(2);
  const { rows } =
    await sql`SELECT xmin::text AS id FROM account_balances WHERE account_id = ${accountId}`.execute(
      database,
    );
  expect(rows).toEqual([{ id: ranking.transaction }]);
  ranking.by = 0;
  await expect(searchFor(2)).rejects.toThrow('division by zero');
  expect(await balance()).toBe(3);
  await expect(searchFor(4)).rejects.toThrow('division by zero');
  ranking.by = 3;
  await expect(searchFor(4)).rejects.toMatchObject(refusal);
  expect(await balance()).toBe(3);
});

test('who has paid before pays for a search without a statement of its own', async () => {
  const { searchFor, balance } = await chargedSearch(5);
  for (let i = 0; i < 2; i++) await searchFor(2);
  expect(await balance()).toBe(1);
});

const sleep = (seconds: number) => sql`SELECT pg_sleep(${seconds}::float8)`.execute(suite.database);
const never = () => new AbortController().signal;

test('who hangs up pays for an answer that was made all the same, and for none that was cancelled', async () => {
  const hangingUp = new AbortController();
  const bounds = { timeMaxMs: 60_000, signal: () => hangingUp.signal };
  const made = await chargedSearch(3, async () => {
    hangingUp.abort(new Error('hung up'));
    await sleep(0);
    return ANSWER;
  });
  await withinBounds(bounds, () => made.searchFor(2));
  expect(await made.balance()).toBe(1);
  const cancelled = await chargedSearch(3, async () => {
    await sleep(30);
    return ANSWER;
  });
  await expect(withinBounds(bounds, () => cancelled.searchFor(2))).rejects.toThrow('hung up');
  expect(await cancelled.balance()).toBe(3);
});

test('a price is given back after the end of its query too, although others hold the balance then', async () => {
  const { database } = suite;
  const held = Promise.withResolvers<void>();
  const { searchFor, balance } = await chargedSearch(3, async () => {
    expect(await balance()).toBe(1);
    const isHeld = Promise.withResolvers<void>();
    void database.transaction().execute(async (transaction) => {
      await sql`SELECT FROM account_balances FOR UPDATE`.execute(transaction);
      isHeld.resolve();
      await held.promise;
    });
    await isHeld.promise;
    await sleep(30);
    return ANSWER;
  });
  const searching = withinBounds({ timeMaxMs: 300, signal: never }, () => searchFor(2));
  searching.catch(() => {});
  const readWaiting = async () =>
    (
      await sql`SELECT FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE account_balances%'
          AND datname = current_database()`.execute(database)
    ).rows;
  await vi.waitFor(async () => expect(await readWaiting()).toHaveLength(1), { timeout: 10_000 });
  // Longer than the first look at a statement's bounds, which are over.
  await sleep(0.5);
  held.resolve();
  await expect(searching).rejects.toMatchObject({ errorCode: 'SERVICE_UNAVAILABLE' });
  expect(await balance()).toBe(3);
});

const one = prepare('one_on_a_new_connection', [], () => sql<object>`SELECT 1 AS one`);

test('the first price on a connection ends with its search when that takes too long, for the same reason', async () => {
  const database = createDatabase(createPool(suite.connection, 2, () => {}));
  const rank = async () => {
    await one(database, {});
    return ANSWER;
  };
  const { accountId, searchFor, balance } = await chargedSearch(5, rank, database);
  await searchFor(2);
  // The only connection so far is busy: the next search opens another one, on which no price is prepared.
  const searching = database.connection().execute(() =>
    suite.database.transaction().execute(async (transaction) => {
      await sql`SELECT FROM account_balances WHERE account_id = ${accountId} FOR UPDATE`.execute(transaction);
      await withinBounds({ timeMaxMs: 300, signal: never }, () => searchFor(2));
    }),
  );
  await expect(searching).rejects.toThrow('The search took too long');
  expect(await balance()).toBe(3);
  await database.destroy();
});
