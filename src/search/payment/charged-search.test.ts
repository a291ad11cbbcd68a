/** The charge of a search. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
async function chargedSearch(credits: number, rank = async () => ANSWER) {
  const { database } = suite;
  const accountId = await createAccount(database, randomUUID(), credits);
  const counts = { ranked: 0 };
  const search: Search = async ({ admit }) => {
    await admit?.();
    counts.ranked++;
    return await rank();
  };
  const charged = createChargedSearch(database, search);
  const request = { accountId, knowledgeBaseIds: undefined, query: 'ibex', limit: 1 };
  return {
    counts,
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
