/** Accounts: owners of knowledge bases, with a balance of credits. For their limits see limits/. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { shareLookUps } from '../../concurrency/shared-look-ups.ts';
import { databaseNow } from '../connection/clock.ts';
import type { Queryable } from '../connection/database.ts';
import { prepareAlong, prepareRead } from '../connection/prepared.ts';
import { readUsage } from './usage.ts';

/** Creates an account with `credits`. The server's limits apply to it until it gets its own. */
export async function createAccount(database: Queryable, name: string, credits: number): Promise<string> {
  const id = uuidv7();
  await database.insertInto('accounts').values({ id, name, created_at: databaseNow }).execute();
  await database.insertInto('account_balances').values({ account_id: id, credits }).execute();
  return id;
}

const findBalances = prepareRead(
  'find_balances',
  ['accountIds'],
  ({ accountIds }) => sql<{ account_id: string; credits: number }>`
    SELECT account_id, credits FROM account_balances WHERE account_id = ANY(${accountIds}::uuid[])`,
);

const lookUpBalance = shareLookUps(async (database: Queryable, _all, accountIds) => {
  const rows = await findBalances(database, { accountIds });
  return new Map(rows.map(({ account_id, credits }) => [account_id, credits]));
});

/** Credits left; 0 for an unknown account. */
export const readBalance = async (database: Queryable, accountId: string): Promise<number> =>
  (await lookUpBalance(database, 'all', accountId)) ?? 0;

const changeBalance = prepareAlong(
  'change_credits',
  ['accountId', 'change'],
  ({ accountId, change }) => sql`
  WITH deferred AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
  UPDATE account_balances SET credits = credits + ${change}::bigint FROM deferred
  WHERE account_id = ${accountId}::uuid AND credits + ${change}::bigint >= 0 RETURNING 1`,
);

/**
 * Adds `change`, which is negative for a price, to the credits of the account: exactly once, however many do so at the
 * same time, and never below 0. The commit does not wait for the disk: a power cut may undo the changes of its last
 * moment, which is cheaper than a disk write for each query. `isAlone`: it waits for no statement of its request.
 * @returns whether the balance covered it
 */
export const changeCredits = async (
  database: Queryable,
  change: { accountId: string; change: number },
  { isAlone }: { isAlone: boolean },
): Promise<boolean> => (await changeBalance(database, change, isAlone)).length > 0;

/** Every account with its own limits (null: the server's), credits and usage, oldest first. */
export async function listAccounts(database: Queryable) {
  const accounts = await database
    .selectFrom('accounts')
    .innerJoin('account_balances', 'account_balances.account_id', 'accounts.id')
    .selectAll('accounts')
    .select('credits')
    .orderBy('created_at')
    .execute();
  return await Promise.all(
    accounts.map(async (account) => ({
      ...account,
      ...(await readUsage(database, { accountId: account.id })),
    })),
  );
}

/** The accounts that have less than `least` credits left, the lowest first. */
export async function listLowBalances(database: Queryable, least: number) {
  return await database
    .selectFrom('account_balances')
    .innerJoin('accounts', 'accounts.id', 'account_balances.account_id')
    .select(['name', 'credits'])
    .where('credits', '<', least)
    .orderBy('credits')
    .orderBy('name')
    .execute();
}

/** The id of the account with this name; undefined when there is none. */
export async function findAccountId(database: Queryable, name: string): Promise<string | undefined> {
  const row = await database.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirst();
  return row?.id;
}

/** New values for an account; an omitted field stays as it is. */
export type AccountChange = { storageLimitBytes?: number; knowledgeBaseLimit?: number; credits?: number };

export async function updateAccount(database: Queryable, id: string, change: AccountChange): Promise<void> {
  const { storageLimitBytes, knowledgeBaseLimit, credits } = change;
  if (storageLimitBytes !== undefined || knowledgeBaseLimit !== undefined) {
    await database
      .updateTable('accounts')
      .set({
        ...(storageLimitBytes !== undefined && { storage_limit_bytes: storageLimitBytes }),
        ...(knowledgeBaseLimit !== undefined && { knowledge_base_limit: knowledgeBaseLimit }),
      })
      .where('id', '=', id)
      .execute();
  }
  if (credits !== undefined) {
    await database.updateTable('account_balances').set({ credits }).where('account_id', '=', id).execute();
  }
}

/** The oldest account, which bootstrap created; undefined when there is none yet. */
export async function findFirstAccountId(database: Queryable): Promise<string | undefined> {
  const first = await database
    .selectFrom('accounts')
    .select('id')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return first?.id;
}
