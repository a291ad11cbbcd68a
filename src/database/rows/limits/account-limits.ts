/** The limits of accounts: their own ones or the defaults, and the limit of knowledge bases. */
import { type RawBuilder, sql } from 'kysely';
import { knowledgeBaseLimitExceeded } from '../../../terms/errors.ts';
import type { Queryable } from '../../connection/database.ts';
import { prepare, prepareRead } from '../../connection/prepared.ts';
import { readUsage } from '../usage.ts';

/** The limits of an account without limits of its own. */
export type DefaultLimits = { storageLimitBytes: number; knowledgeBaseLimit: number };
export type AccountWithDefaults = { accountId: string; defaults: DefaultLimits };

type Limits = { storageLimitBytes: number | null; knowledgeBaseLimit: number | null };

const limitsOf = (accountId: RawBuilder<unknown>, hasShards: RawBuilder<unknown>) => sql<
  Limits & { hasShards: boolean }
>`
  SELECT storage_limit_bytes AS "storageLimitBytes", knowledge_base_limit AS "knowledgeBaseLimit",
    ${hasShards} AS "hasShards"
  FROM accounts WHERE id = ${accountId}::uuid`;

const lockingLimits = (accountId: RawBuilder<unknown>) => sql<Limits & { hasShards: boolean }>`
  ${limitsOf(accountId, sql`false`)} FOR NO KEY UPDATE`;

/** Locks the account until the transaction ends and returns its limits. It is locked last: see ../../README.md. */
const lockOwnLimits = prepare('lock_limits', ['accountId'], ({ accountId }) => lockingLimits(accountId));
/** The same, without the lock where Citus distributes the tables (see `readUsedInShards` in storage-limit.ts). */
export const lockOwnStorage = prepare(
  'lock_storage',
  ['accountId'],
  ({ accountId }) => lockingLimits(accountId),
  {
    build: ({ accountId }) => limitsOf(accountId, sql`true`),
  },
);

/** The limits that apply to an account. @throws when there is no such account */
export function applyDefaults(
  own: Limits | undefined,
  { accountId, defaults }: AccountWithDefaults,
): DefaultLimits {
  if (own === undefined) throw accountGone(accountId);
  return {
    storageLimitBytes: own.storageLimitBytes ?? defaults.storageLimitBytes,
    knowledgeBaseLimit: own.knowledgeBaseLimit ?? defaults.knowledgeBaseLimit,
  };
}

const readOwnLimits = prepareRead(
  'read_limits',
  ['accountId'],
  ({ accountId }) => sql<Limits>`
    SELECT storage_limit_bytes AS "storageLimitBytes", knowledge_base_limit AS "knowledgeBaseLimit"
    FROM accounts WHERE id = ${accountId}::uuid`,
);

/** The limits that apply to the account at this moment. */
export async function readLimits(database: Queryable, account: AccountWithDefaults): Promise<DefaultLimits> {
  const [own] = await readOwnLimits(database, { accountId: account.accountId });
  return applyDefaults(own, account);
}

/** Accounts are never deleted. */
export const accountGone = (accountId: string) => new Error(`there is no account ${accountId}`);

/**
 * Checks, until the transaction's end, that the account may have one more knowledge base.
 * @throws KNOWLEDGE_BASE_LIMIT_EXCEEDED
 */
export async function requireKnowledgeBaseAllowance(
  transaction: Queryable,
  account: AccountWithDefaults,
): Promise<void> {
  const [own] = await lockOwnLimits(transaction, { accountId: account.accountId });
  const { knowledgeBaseLimit: limit } = applyDefaults(own, account);
  const { knowledgeBaseCount: used } = await readUsage(transaction, account);
  if (used >= limit) throw knowledgeBaseLimitExceeded({ limit, used });
}
