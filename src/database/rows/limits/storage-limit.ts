/** What an account stores, and the limit of it: what imports and uploads check before they store, and after. */
import { type RawBuilder, sql } from 'kysely';
import { storageLimitExceeded } from '../../../terms/errors.ts';
import type { Queryable } from '../../connection/database.ts';
import { inOneRoundTrip, prepare, prepareRead } from '../../connection/prepared.ts';
import { unlessKnownUnreachable, unlessUnreachable } from '../../distribution/all-shards.ts';
import { isArriving } from '../../distribution/create-recorded-storage.ts';
import { isDistributed } from '../../distribution/distribution.ts';
import { lockRecorded, recordLocked } from '../../distribution/recorded-storage.ts';
import { type AccountWithDefaults, accountGone, applyDefaults, lockOwnStorage } from './account-limits.ts';

/**
 * Bytes charged for what passages and distinct lexemes take of the database, where this exceeds the bytes of the
 * documents: an eighth of it. A passage takes 3.5 kB with its entries in all indexes, and a lexeme of a knowledge base
 * 300 bytes. Tables and indexes of one text, as multiples of that estimate, and of the text's own bytes:
 *
 *     documentation   English   Chinese   random ideographs   base64   numbers
 *              1.28       .94       .94                 .89     1.09       .82
 *                15        10        40                 104       62        28
 *
 * English takes five times its bytes once its words repeat, and so counts by its bytes as ever: an account takes five
 * to ten times its limit in any script. It took 68 times its limit in random ideographs while a lexeme counted 16
 * bytes, and a passage none.
 */
const PASSAGE_BYTES = 440;
const LEXEME_BYTES = 38;
/** Free of charge for each account, whose limit may be small: 110,000 lexemes, or 9,500 passages. They take 32 MB. */
const INDEX_BYTES_FREE = 4 * 2 ** 20;

/**
 * SQL for the bytes charged for the index of the account's live knowledge bases; `counters` are their statistics.
 */
const indexBytes = sql`(
  coalesce(sum(counters.distinct_lexemes), 0) * ${sql.lit(LEXEME_BYTES)}
    + coalesce(sum(counters.passage_count), 0) * ${sql.lit(PASSAGE_BYTES)} - ${sql.lit(INDEX_BYTES_FREE)})`;

/**
 * SQL for the accounts with the columns `columns` and the bytes that they have `used`: by their live documents,
 * and by reservations of their tickets and files not yet imported. `isCounted` selects the accounts by a column that
 * has their id. Each part repeats it, and the sums are joined as tables: Citus adds up in the shards only in this form.
 */
export const storageUsed = (
  columns: RawBuilder<unknown>,
  isCounted: (accountId: RawBuilder<unknown>) => RawBuilder<unknown>,
) => sql`
  SELECT ${columns}, (coalesce(documents.bytes, 0) + coalesce(arriving.bytes, 0))::bigint AS used
  FROM accounts
    LEFT JOIN (
      SELECT knowledge_bases.account_id, greatest(sum(storage_bytes), ${indexBytes}) AS bytes
      FROM knowledge_base_statistics AS counters JOIN knowledge_bases USING (knowledge_base_id)
      WHERE deleted_at IS NULL AND ${isCounted(sql`knowledge_bases.account_id`)}
      GROUP BY knowledge_bases.account_id) AS documents ON documents.account_id = accounts.id
    LEFT JOIN (
      SELECT files.account_id, sum(size_bytes) AS bytes FROM files
        JOIN knowledge_bases USING (knowledge_base_id)
      WHERE deleted_at IS NULL AND ${isArriving}
        AND ${isCounted(sql`files.account_id`)}
      GROUP BY files.account_id) AS arriving ON arriving.account_id = accounts.id
  WHERE ${isCounted(sql`accounts.id`)}`;

type Used = { used: number; ownLimit: number | null };

const selectStorage = ({ accountId }: Record<'accountId', RawBuilder<unknown>>) => sql<Used>`
  ${storageUsed(sql`storage_limit_bytes AS "ownLimit"`, (id) => sql`${id} = ${accountId}::uuid`)}`;

const readStorage = prepareRead('read_storage', ['accountId'], selectStorage);

/** The same, but no row where Citus distributes the tables. */
const readLocalStorage = prepare('read_local_storage', ['accountId'], selectStorage, {
  build: ({ accountId }) => sql<Used>`
    SELECT NULL::bigint AS used, NULL::bigint AS "ownLimit" WHERE ${accountId}::uuid IS NULL`,
});

/** What an account stores by the recorded rows of its knowledge bases, at the least. */
const readRecorded = prepareRead(
  'read_recorded_storage',
  ['accountId'],
  ({ accountId }) => sql<Used>`
    SELECT storage_limit_bytes AS "ownLimit", (
      SELECT coalesce(greatest(sum(storage_bytes), ${indexBytes}) + sum(arriving_bytes), 0)::bigint
      FROM recorded_storage AS counters WHERE account_id = ${accountId}::uuid) AS used
    FROM accounts WHERE id = ${accountId}::uuid`,
);

/**
 * Reads the shards of all servers within a transaction. While one of them is unreachable the result is undefined, and
 * the transaction goes on: knowledge bases on other servers still take imports, although nothing tells what their
 * account has stored on that one.
 */
async function inSubtransaction<T>(transaction: Queryable, read: () => Promise<T>): Promise<T | undefined> {
  await sql`SAVEPOINT before_shards`.execute(transaction);
  const result = await unlessKnownUnreachable(read);
  if (result === undefined) await sql`ROLLBACK TO SAVEPOINT before_shards`.execute(transaction);
  return result;
}

/**
 * An account is far from its limit while less than nine tenths are used, and an import has less than a thousandth of
 * it. Such imports do not wait for each other: together they cannot pass the limit. Others wait for them all.
 */
const lockRecordedOf = prepare(
  'lock_recorded_storage',
  ['accountId', 'knowledgeBaseId', 'used', 'requested', 'limit'],
  ({ accountId, knowledgeBaseId, used, requested, limit }) => sql`
    WITH account AS (SELECT hashtextextended('storage of ' || ${accountId}::text, 0) AS lock OFFSET 0)
    SELECT CASE WHEN ${requested}::float8 * 1000 < ${limit}::float8 AND ${used}::float8 * 10 < ${limit}::float8 * 9
        THEN pg_advisory_xact_lock_shared(lock) ELSE pg_advisory_xact_lock(lock) END,
      ${lockRecorded(sql`${knowledgeBaseId}::text`)} FROM account`,
);

/** The account whose limit applies, and the knowledge base that stores something. */
export type Storing = AccountWithDefaults & { knowledgeBaseId: string };

/**
 * What the account has stored, with this transaction, where Citus distributes the tables: by the recorded rows, or if
 * those exceed the limit, by all shards. It locks no row of the account, which would stay locked while a server of
 * shards hangs in the commit. The locks last longer than locks of rows: until all servers have committed.
 */
async function readUsedInShards(
  transaction: Queryable,
  { accountId, knowledgeBaseId }: Storing,
  { limit, requested }: { limit: number; requested: number },
): Promise<number> {
  const [before] = await readRecorded(transaction, { accountId });
  const used = before?.used ?? 0;
  await lockRecordedOf(transaction, { accountId, knowledgeBaseId, used, requested, limit });
  await recordLocked(transaction, knowledgeBaseId);
  const [recorded] = await readRecorded(transaction, { accountId });
  if ((recorded?.used ?? 0) <= limit) return recorded?.used ?? 0;
  const stored = await inSubtransaction(transaction, () => readStorage(transaction, { accountId }));
  return stored?.[0]?.used ?? 0;
}

/**
 * Finds out whether all servers of shards answer. On a single server it asks nothing.
 * @returns whether all answer
 */
export async function probeShards(database: Queryable, accountId: string): Promise<boolean> {
  if (!(await isDistributed(database))) return true;
  return (await unlessUnreachable(() => readStorage(database, { accountId }))) !== undefined;
}

/**
 * Checks that the account is within its limit with the `requested` bytes that this transaction has stored. The result
 * holds until the commit.
 * @throws STORAGE_LIMIT_EXCEEDED
 */
export async function requireStorage(
  transaction: Queryable,
  storing: Storing,
  requested: number,
): Promise<void> {
  const { accountId } = storing;
  // Two statements, because the second one sees the rows that others committed before they released the lock.
  const [[own], [local]] = await inOneRoundTrip(transaction, (together) => [
    lockOwnStorage(together, { accountId }),
    readLocalStorage(together, { accountId }),
  ]);
  const { storageLimitBytes: limit } = applyDefaults(own, storing);
  const stored = own?.hasShards
    ? await readUsedInShards(transaction, storing, { limit, requested })
    : (local?.used ?? 0);
  if (stored > limit) throw storageLimitExceeded({ limit, used: stored - requested, requested });
}

/**
 * What the account has stored, with its own limit; undefined: a server of shards is unreachable, and may have too much.
 */
async function readUsed(database: Queryable, accountId: string, fits: (account: Used) => boolean) {
  if (!(await isDistributed(database))) return await readStorage(database, { accountId });
  const recorded = await readRecorded(database, { accountId });
  if (recorded.every(fits)) return recorded;
  return await unlessUnreachable(() => readStorage(database, { accountId }));
}

/**
 * The same check before anything is stored, to avoid useless work. The result holds for this moment only. It locks
 * nothing, since even a lock costs a disk write.
 * @throws STORAGE_LIMIT_EXCEEDED
 */
export async function expectStorage(
  database: Queryable,
  { accountId, defaults }: AccountWithDefaults,
  requested: number,
): Promise<void> {
  const limitOf = ({ ownLimit }: Used) => ownLimit ?? defaults.storageLimitBytes;
  const fits = (account: Used) => account.used + requested <= limitOf(account);
  const rows = await readUsed(database, accountId, fits);
  if (rows === undefined) return;
  const [account] = rows;
  if (account === undefined) throw accountGone(accountId);
  if (!fits(account)) throw storageLimitExceeded({ limit: limitOf(account), used: account.used, requested });
}

/**
 * Whether the account's index alone, from imports that have ended meanwhile, exceeds its limit. Then none of its
 * files is extracted any more. The import request has already checked that the file's bytes fit. The recorded rows may
 * be too high, as after a server was killed before it recorded a deletion: before a refusal, the shards are read.
 */
export async function hasTooLargeIndex(
  database: Queryable,
  { accountId, defaults }: AccountWithDefaults,
): Promise<boolean> {
  const isExceededBy = async (counters: RawBuilder<unknown>): Promise<boolean> => {
    const { rows } = await sql<{ excess: boolean }>`
      SELECT bytes > coalesce(storage_limit_bytes, ${defaults.storageLimitBytes}::bigint) AS excess
      FROM accounts, (SELECT ${indexBytes} AS bytes FROM ${counters}) AS indexed
      WHERE id = ${accountId}`.execute(database);
    return rows[0]?.excess ?? false;
  };
  const isExceeded = () =>
    isExceededBy(sql`
      knowledge_base_statistics AS counters JOIN knowledge_bases USING (knowledge_base_id)
      WHERE knowledge_bases.account_id = ${accountId} AND deleted_at IS NULL`);
  if (!(await isDistributed(database))) return await isExceeded();
  if (!(await isExceededBy(sql`recorded_storage AS counters WHERE account_id = ${accountId}`))) return false;
  return (await unlessUnreachable(isExceeded)) ?? false;
}
