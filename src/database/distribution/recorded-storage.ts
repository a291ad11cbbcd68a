/**
 * What each knowledge base stores, recorded at the coordinator of Citus. An import adds up what its account stores from
 * these rows, where otherwise it would read all shards: 128 statements at the servers of shards for a text, which one
 * that hangs holds up.
 *
 * A row has what its shard said last. Whatever stores more bytes records it in its own transaction, so that the rows
 * never sum up to fewer than are stored. The passages and lexemes of a file are recorded when its document frequencies
 * are merged. The rows may sum up to more, as when a ticket has expired since: the shards are read before an import is
 * refused.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queryable } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';
import { isArriving } from './create-recorded-storage.ts';
import { isDistributed } from './distribution.ts';

type Row = {
  account_id: string;
  storage_bytes: number;
  passage_count: number;
  distinct_lexemes: number;
  arriving_bytes: number;
};

const totalsOf = (ids: RawBuilder<unknown>) => sql<Row>`
  SELECT counters.account_id, storage_bytes, passage_count, distinct_lexemes, (
    SELECT coalesce(sum(size_bytes), 0)::bigint FROM files
    WHERE knowledge_base_id = ANY(${ids}::uuid[]) AND ${isArriving}) AS arriving_bytes
  FROM knowledge_base_statistics AS counters JOIN knowledge_bases AS live USING (knowledge_base_id)
  WHERE knowledge_base_id = ANY(${ids}::uuid[]) AND deleted_at IS NULL`;

/** Reads the totals of one knowledge base in its shard, with what this transaction has changed. */
const readTotals = prepare('read_stored', ['ids'], ({ ids }) => totalsOf(ids), { ids: 'ids' });

const record = prepare(
  'record_storage',
  ['id', 'accountId', 'bytes', 'passages', 'lexemes', 'arriving'],
  ({ id, accountId, bytes, passages, lexemes, arriving }) => sql`
    INSERT INTO recorded_storage (knowledge_base_id, account_id, storage_bytes, passage_count, distinct_lexemes,
      arriving_bytes)
    VALUES (${id}::uuid, ${accountId}::uuid, ${bytes}::bigint, ${passages}::bigint, ${lexemes}::bigint,
      ${arriving}::bigint)
    ON CONFLICT (knowledge_base_id) DO UPDATE SET
      (storage_bytes, passage_count, distinct_lexemes, arriving_bytes)
        = (excluded.storage_bytes, excluded.passage_count, excluded.distinct_lexemes, excluded.arriving_bytes)`,
);

/** SQL that locks the row of a knowledge base, which may be missing, until the transaction ends. */
export const lockRecorded = (id: RawBuilder<unknown>) =>
  sql`pg_advisory_xact_lock(hashtextextended('storage of ' || ${id}, 0))`;

/** Records what a knowledge base stores, with what this transaction has changed. Its row must be locked. */
export async function recordLocked(transaction: Queryable, knowledgeBaseId: string): Promise<void> {
  const [totals] = await readTotals(transaction, { ids: `{${knowledgeBaseId}}` });
  if (totals === undefined) {
    await sql`DELETE FROM recorded_storage WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(transaction);
    return;
  }
  await record(transaction, {
    id: knowledgeBaseId,
    accountId: totals.account_id,
    bytes: totals.storage_bytes,
    passages: totals.passage_count,
    lexemes: totals.distinct_lexemes,
    arriving: totals.arriving_bytes,
  });
}

/** Locks the row of a knowledge base, and records what it stores, with what this transaction has changed. */
export async function recordIn(transaction: Queryable, knowledgeBaseId: string): Promise<void> {
  await sql`SELECT ${lockRecorded(sql`${knowledgeBaseId}::text`)}`.execute(transaction);
  await recordLocked(transaction, knowledgeBaseId);
}

/** Records what a knowledge base stores after something else than an import has changed it. On one server: nothing. */
export async function recordStorage(database: Database, knowledgeBaseId: string): Promise<void> {
  if (await isDistributed(database))
    await database.transaction().execute((transaction) => recordIn(transaction, knowledgeBaseId));
}
