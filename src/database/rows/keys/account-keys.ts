/** The keys of an account as its own operations see them. */
import { sql } from 'kysely';
import type { Key } from '../../../../generated/types.gen.ts';
import { validationFailed } from '../../../terms/errors.ts';
import { databaseNow } from '../../connection/clock.ts';
import type { Queryable } from '../../connection/database.ts';
import { keyExpiry } from '../api-keys.ts';

/** The most keys of an account that are neither revoked nor expired: operations make no more. */
const LIVE_KEYS_MAX = 1_000;

/** SQL for whether a key still opens anything. */
const isLive = sql<boolean>`(revoked_at IS NULL AND coalesce(${keyExpiry} > now(), true))`;

/**
 * Locks the account until the transaction ends, and counts its live keys.
 * @throws INPUT_VALIDATION_FAILED unless it may have another one
 */
export async function requireKeyAllowance(transaction: Queryable, accountId: string): Promise<void> {
  await sql`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`.execute(transaction);
  const { rows } = await sql<{ used: number }>`
    SELECT count(*) AS used FROM api_keys WHERE account_id = ${accountId} AND ${isLive}`.execute(transaction);
  if ((rows[0]?.used ?? 0) >= LIVE_KEYS_MAX)
    throw validationFailed([`the account has ${LIVE_KEYS_MAX} keys; revoke one that nobody uses`]);
}

/** Selects the keys of an account as the contract shows them. */
export const selectKeys = (database: Queryable, accountId: string) =>
  database
    .selectFrom('api_keys')
    .select([
      'id',
      'name',
      'scope',
      'knowledge_base_ids',
      'filter',
      'created_at',
      'revoked_at',
      'last_used_at',
    ])
    .select([keyExpiry.as('expires_at'), isLive.as('is_live')])
    .where('account_id', '=', accountId);

type KeyRow = Awaited<ReturnType<ReturnType<typeof selectKeys>['executeTakeFirstOrThrow']>>;

/** The contract's key. */
export const toKey = (row: KeyRow): Key => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  ...(row.knowledge_base_ids !== null && { knowledgeBaseIds: row.knowledge_base_ids }),
  ...(row.filter !== null && { filter: row.filter }),
  createdAt: row.created_at.toISOString(),
  ...(row.expires_at !== null && { expiresAt: row.expires_at.toISOString() }),
  ...(row.revoked_at !== null && { revokedAt: row.revoked_at.toISOString() }),
  ...(row.last_used_at !== null && {
    lastUsedOn: row.last_used_at.toISOString().slice(0, '2026-01-15'.length),
  }),
  status: row.is_live ? 'valid' : row.revoked_at === null ? 'expired' : 'revoked',
});

/** Revokes a key of the account; one that is revoked stays as it is. Returns false when there is no such key. */
export async function revokeOwnKey(
  database: Queryable,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<boolean> {
  const revoked = await database
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${databaseNow})` })
    .where('id', '=', keyId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return revoked.numUpdatedRows > 0n;
}
