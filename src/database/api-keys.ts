/** Stores API keys: hash, owner and life span, never the key itself. */
import { sql } from 'kysely';
import { readApiKey, type StoredKey } from '../api-key.ts';
import { databaseNow } from './clock.ts';
import type { Queryable } from './database.ts';
import { prepare } from './prepared.ts';

/** The name of all keys that BOOTSTRAP_API_KEY has had. The command line gives this name to no other key. */
export const BOOTSTRAP_KEY_NAME = 'BOOTSTRAP_API_KEY';

/** Stores `key` for an account; with `expiresAt` null it does not expire. */
export async function insertApiKey(
  database: Queryable,
  key: string,
  owner: { accountId: string; name: string; expiresAt?: Date | null },
): Promise<void> {
  const stored = readApiKey(key);
  if (stored === undefined) throw new Error('not an API key');
  await database
    .insertInto('api_keys')
    .values({
      id: stored.keyId,
      account_id: owner.accountId,
      name: owner.name,
      secret_hash: stored.secretHash,
      created_at: databaseNow,
      expires_at: owner.expiresAt ?? null,
    })
    .execute();
}

export type KeyOwner = { accountId: string; secretHash: Buffer };

const findLive = prepare(
  'find_live_api_keys',
  ['keyIds'],
  ({ keyIds }) => sql<KeyOwner & { keyId: string }>`
    SELECT id AS "keyId", account_id AS "accountId", secret_hash AS "secretHash"
    FROM api_keys
    WHERE id = ANY (${keyIds}::text[]) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
);

/** Maps key ids to owner and hash, for keys that are neither revoked nor expired by the database's clock. */
export async function findLiveApiKeys(
  database: Queryable,
  keyIds: string[],
): Promise<ReadonlyMap<string, KeyOwner>> {
  const keys = await findLive(database, { keyIds });
  return new Map(keys.map(({ keyId, ...owner }) => [keyId, owner]));
}

/** Every key with its account, oldest first, without the secrets. */
export async function listApiKeys(database: Queryable) {
  return await database
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select([
      'api_keys.id',
      'api_keys.name',
      'accounts.name as account',
      'api_keys.created_at',
      'expires_at',
      'revoked_at',
    ])
    .orderBy('api_keys.created_at')
    .orderBy('api_keys.id')
    .execute();
}

/** Revokes a key at once; every server notices within a second. Returns false when there is no such key. */
export async function revokeApiKey(database: Queryable, keyId: StoredKey['keyId']): Promise<boolean> {
  const revoked = await database
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${databaseNow})` })
    .where('id', '=', keyId)
    .executeTakeFirst();
  return revoked.numUpdatedRows > 0n;
}

/** Revokes all keys of this name. Returns the ids of the keys that this call has revoked. */
export async function revokeApiKeysNamed(database: Queryable, name: string): Promise<string[]> {
  const revoked = await database
    .updateTable('api_keys')
    .set({ revoked_at: databaseNow })
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();
  return revoked.map(({ id }) => id);
}
