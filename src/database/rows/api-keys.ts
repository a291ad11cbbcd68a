/** Stores API keys: hash, owner, permissions and life span, never the key itself. */
import { sql } from 'kysely';
import type { Filter } from '../../../generated/types.gen.ts';
import { readApiKey, type StoredKey } from '../../terms/api-key.ts';
import { databaseNow } from '../connection/clock.ts';
import type { Queryable } from '../connection/database.ts';
import { prepareRead } from '../connection/prepared.ts';
import type { KeyScope } from '../schema/tables.ts';
import { type DocumentFilter, toDocumentFilter } from './documents/document-filter.ts';

/** The name of all keys that BOOTSTRAP_API_KEY has had. The command line gives this name to no other key. */
export const BOOTSTRAP_KEY_NAME = 'BOOTSTRAP_API_KEY';

/** A key may name as many knowledge bases as a query. */
export const KEY_KNOWLEDGE_BASES_MAX = 100;

type NewKey = {
  accountId: string;
  name: string;
  expiresAt?: Date | null;
  scope?: KeyScope;
  knowledgeBaseIds?: string[] | undefined;
  filter?: Filter | undefined;
};

/** To servers that know no filters, a key with one expired then. */
const LONG_AGO = new Date(0);

/** SQL for when a key expires; NULL: never. */
export const keyExpiry = sql<Date | null>`CASE WHEN filter IS NULL THEN expires_at ELSE filter_expires_at END`;

const expiryColumns = (expiresAt: Date | null, filter: Filter | undefined) =>
  filter === undefined
    ? { expires_at: expiresAt }
    : { filter: JSON.stringify(filter), expires_at: LONG_AGO, filter_expires_at: expiresAt };

/**
 * Stores `key` for an account. By default it does not expire, may do everything, and sees all knowledge bases. One with
 * a `filter` only reads: its `scope` is `search`.
 */
export async function insertApiKey(database: Queryable, key: string, owner: NewKey): Promise<void> {
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
      ...expiryColumns(owner.expiresAt ?? null, owner.filter),
      scope: owner.scope ?? 'write',
      knowledge_base_ids: owner.knowledgeBaseIds ?? null,
    })
    .execute();
}

/**
 * The owner and the permissions of a key. `knowledgeBaseIds`: those that it is bound to; null: it sees all.
 * `isUsedToday`: its use on this day, in UTC, is recorded. `restriction`: which documents exist for it; undefined: all.
 */
export type KeyOwner = {
  accountId: string;
  secretHash: Buffer;
  scope: KeyScope;
  knowledgeBaseIds: string[] | null;
  isUsedToday: boolean;
  restriction: DocumentFilter | undefined;
};

type LiveKey = Omit<KeyOwner, 'restriction'> & { keyId: string; filter: Filter | null };

const today = sql`date_trunc('day', now(), 'UTC')`;

const findLive = prepareRead(
  'find_live_api_keys',
  ['keyIds'],
  ({ keyIds }) => sql<LiveKey>`
    SELECT id AS "keyId", account_id AS "accountId", secret_hash AS "secretHash", scope,
      knowledge_base_ids AS "knowledgeBaseIds", coalesce(last_used_at >= ${today}, false) AS "isUsedToday",
      filter
    FROM api_keys
    WHERE id = ANY (${keyIds}::text[]) AND revoked_at IS NULL AND coalesce(${keyExpiry} > now(), true)`,
);

/** Maps key ids to owner and hash, for keys that are neither revoked nor expired by the database's clock. */
export async function findLiveApiKeys(
  database: Queryable,
  keyIds: string[],
): Promise<ReadonlyMap<string, KeyOwner>> {
  const keys = await findLive(database, { keyIds });
  return new Map(
    keys.map(({ keyId, filter, ...owner }) => [
      keyId,
      { ...owner, restriction: filter === null ? undefined : toDocumentFilter(filter) },
    ]),
  );
}

/** Records that a key is used today. Changes nothing if that is recorded. */
export async function recordKeyUse(database: Queryable, keyId: string): Promise<void> {
  await sql`UPDATE api_keys SET last_used_at = ${databaseNow}
    WHERE id = ${keyId} AND (last_used_at IS NULL OR last_used_at < ${today})`.execute(database);
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
      'revoked_at',
      'scope',
      'knowledge_base_ids',
      'last_used_at',
      'filter',
    ])
    .select(keyExpiry.as('expires_at'))
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
