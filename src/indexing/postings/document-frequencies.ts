/**
 * The document frequency of each lexeme in a knowledge base: the number of its passages that contain the lexeme. It is
 * exact at any moment: the merged count plus the deltas of later imports and deletions. The transaction of an import or
 * deletion writes its delta as one row, for a large document as several. A worker merges the deltas later. So imports
 * neither wait for each other nor update thousands of counters.
 */
import { type RawBuilder, sql } from 'kysely';
import { knowledgeBaseLexeme } from '../../analysis/reserved-lexemes.ts';
import type { Database, Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { isDistributed } from '../../database/distribution/distribution.ts';
import { recordIn } from '../../database/distribution/recorded-storage.ts';
import type { OwnedKnowledgeBase } from '../../database/rows/knowledge-bases.ts';
import { LEXEMES_PER_DELTA } from '../../database/schema/tables.ts';

/**
 * The INSERT of a document's deltas. `values` are placeholders. `documentFrequencies` is a binary array of jsonb
 * objects (see `encodeDocumentFrequencies`).
 */
export const insertDeltas = (
  values: Record<'knowledgeBaseId' | 'accountId' | 'documentFrequencies', RawBuilder<unknown>>,
) => sql`
  INSERT INTO document_frequency_deltas (knowledge_base_id, id, account_id, passage_counts)
  SELECT ${values.knowledgeBaseId}::uuid, gen_random_uuid(), ${values.accountId}::uuid, passage_counts
  FROM unnest(${values.documentFrequencies}::jsonb[]) AS passage_counts`;

const isOneOf = (lexemes: string) => sql`lexeme = ANY(ARRAY(SELECT lexeme FROM ${sql.table(lexemes)}))`;

/**
 * SQL for the merged counts of the lexemes in the CTE named `lexemes`, in each knowledge base of the CTE named
 * `knowledgeBases`. LATERAL and OFFSET 0 make PostgreSQL use the primary key. Otherwise it may use the account's index,
 * and read the rows of all knowledge bases for each lexeme. In an account of twenty, the statistics of a query then
 * took 1.4 to 1.8 times as long, and its ranking 1.05 to 1.1 times.
 */
export const mergedInEach = (lexemes: string, knowledgeBases: string) => sql`
  SELECT merged.lexeme, merged.passage_count FROM ${sql.table(knowledgeBases)} AS searched CROSS JOIN LATERAL (
    SELECT lexeme, passage_count FROM document_frequencies
    WHERE knowledge_base_id = searched.knowledge_base_id AND ${isOneOf(lexemes)} OFFSET 0) AS merged`;

/** SQL for the merged counts of the lexemes in the CTE named `lexemes`, in the rows that `isCounted` selects. */
export const mergedWhere = (lexemes: string, isCounted: RawBuilder<unknown>) => sql`
  SELECT lexeme, passage_count FROM document_frequencies WHERE ${isCounted} AND ${isOneOf(lexemes)}`;

/**
 * SQL for the merged counts of the lexemes in the CTE named `lexemes`, in all knowledge bases of the account but those
 * of the CTE named `deleted`. PostgreSQL adds up the account's counts from an index alone, which does not tell
 * knowledge bases apart, and then subtracts the deleted ones. To look up the knowledge base of each count in the table
 * took six times as long for 1,000 knowledge bases, and to add up the counts only after UNION ALL took 1.6 times.
 */
export const mergedInAccount = (lexemes: string, accountId: RawBuilder<unknown>, deleted: string) => sql`
  SELECT lexeme, sum(passage_count)::bigint AS passage_count FROM document_frequencies
  WHERE account_id = ${accountId} AND ${isOneOf(lexemes)} GROUP BY lexeme
  UNION ALL
  SELECT lexeme, -passage_count FROM (${mergedInEach(lexemes, deleted)}) AS gone`;

/**
 * SQL for the merged counts and deltas of the lexemes in the CTE named `lexemes`: rows of `lexeme` and `passage_count`.
 * The sum over the rows of a lexeme is its document frequency. `merged` has the rows of the merged counts (see above),
 * and `isSearched` selects the deltas.
 *
 * Concatenation keeps a delta unpacked in memory, so that PostgreSQL unpacks it once for all lexemes. OFFSET 0 makes
 * PostgreSQL iterate over the deltas and, for each, over the lexemes. In the other order it would write the unpacked
 * deltas to disk and read them again for each lexeme. jsonb finds a lexeme by binary search: with 512 lexemes and 1,104
 * deltas of 5,000 each, that takes a quarter of the time of jsonb_each and a hash join.
 */
export const frequencyRows = (
  lexemes: string,
  { merged, isSearched }: Record<'merged' | 'isSearched', RawBuilder<unknown>>,
) => sql`${merged}
  UNION ALL
  SELECT counted.lexeme, counted.passage_count::bigint
  FROM (
      SELECT passage_counts || '{}' AS passage_counts FROM document_frequency_deltas
      WHERE ${isSearched} OFFSET 0) AS delta
    CROSS JOIN LATERAL (
      SELECT lexeme, delta.passage_counts ->> lexeme AS passage_count FROM ${sql.table(lexemes)} OFFSET 0) AS counted
  WHERE counted.passage_count IS NOT NULL`;

/**
 * The same for tables that Citus distributes. Each server adds up its own rows, and no sub-select has a condition on
 * another one, which Citus could not send to the servers. `isSearched` selects merged counts and deltas.
 */
export const distributedFrequencyRows = (lexemes: string, isSearched: RawBuilder<unknown>) => sql`
  SELECT lexeme, sum(passage_count)::bigint AS passage_count FROM document_frequencies
  WHERE ${isSearched} AND ${isOneOf(lexemes)} GROUP BY lexeme
  UNION ALL
  SELECT counted.lexeme, sum((passage_counts ->> counted.lexeme)::bigint)::bigint
  FROM document_frequency_deltas CROSS JOIN (SELECT lexeme FROM ${sql.table(lexemes)}) AS counted
  WHERE ${isSearched} AND passage_counts ? counted.lexeme GROUP BY counted.lexeme`;

/** Inserts the deltas that subtract the documents' lexemes, read from their passages. Punctuation has no lexemes. */
export async function insertRemovalDeltas(
  transaction: Queryable,
  { knowledgeBaseId, accountId, ids }: OwnedKnowledgeBase & { ids: string[] },
): Promise<void> {
  await sql`
    INSERT INTO document_frequency_deltas (knowledge_base_id, id, account_id, passage_counts)
    SELECT ${knowledgeBaseId}, gen_random_uuid(), ${accountId},
      jsonb_object_agg(lexeme, -passage_count)
    FROM (
      SELECT word AS lexeme, ndoc AS passage_count,
        (row_number() OVER (ORDER BY word) - 1) / ${sql.lit(LEXEMES_PER_DELTA)} AS piece
      FROM ts_stat(format(
        'SELECT lexemes FROM passage_lexemes WHERE knowledge_base_id = %L AND document_id = ANY(%L::uuid[])',
        ${knowledgeBaseId}::uuid, ${ids}::uuid[]))
      WHERE word <> ${knowledgeBaseLexeme(knowledgeBaseId)}) AS gone
    GROUP BY piece`.execute(transaction);
}

/** The lock on a knowledge base's merged counts: each transaction that changes them must hold it. */
const mergeLock = (knowledgeBaseId: string) => sql`hashtextextended(${`lexemes of ${knowledgeBaseId}`}, 0)`;

/** Keeps others from changing a knowledge base's merged counts until the transaction ends. */
export async function lockMergedCounts(transaction: Queryable, knowledgeBaseId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${mergeLock(knowledgeBaseId)})`.execute(transaction);
}

/** Deletes the deltas of a knowledge base before it is purged, so that no later merge writes anything for it. */
export async function dropFrequencyDeltas(database: Database, knowledgeBaseId: string): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await lockMergedCounts(transaction, knowledgeBaseId);
    await transaction
      .deleteFrom('document_frequency_deltas')
      .where('knowledge_base_id', '=', knowledgeBaseId)
      .execute();
  });
}

/**
 * The most deltas of one merge, and their bytes as stored: 110 of large documents, two seconds of work on a slow core.
 * Deltas share lexemes, and each changed count writes entries of three indexes. So merging many together saves work. To
 * add 400 deltas of large documents to a million passages took this processor time, by the number in each merge:
 *
 *     10: 14.9 s    30: 10.6 s    60: 8.1 s    120: 6.6 s
 *
 * With an index that lacks the counts, by which "all" is searched, it took 4.3, 3.2, 2.6 and 2.2 s (migration 0018).
 *
 * More would delay a purge, which waits for the merge, and a search reads all deltas meanwhile.
 */
const DELTAS_PER_MERGE = 500;
const MERGE_BYTES = 6 * 2 ** 20;

/** The distinct lexemes are counted again after this many merged counts, and not before a quarter of them changed. */
const RECOUNT_AFTER_MERGED = 10_000;

const isRecountDue = (merged: RawBuilder<unknown>) =>
  sql`merged_lexemes + ${merged} >= greatest(${sql.lit(RECOUNT_AFTER_MERGED)}, distinct_lexemes / 4)`;

/**
 * Deletes the merged deltas, adds to the number of merged counts, and sometimes counts the distinct lexemes again. To
 * count them at each merge would take a third of the merge's time. This is the last statement of a merge, because
 * imports wait for the row.
 */
const endMerge = prepare(
  'end_merge',
  ['knowledgeBaseId', 'ids', 'merged'],
  ({ knowledgeBaseId, ids, merged }) => sql`
    WITH deleted AS (
      DELETE FROM document_frequency_deltas
      WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND id = ANY(${ids}::uuid[]))
    UPDATE knowledge_base_statistics SET
      merged_lexemes = CASE WHEN ${isRecountDue(sql`${merged}::bigint`)} THEN 0
        ELSE merged_lexemes + ${merged}::bigint END,
      distinct_lexemes = CASE WHEN ${isRecountDue(sql`${merged}::bigint`)} THEN
        (SELECT count(*) FROM document_frequencies WHERE knowledge_base_id = ${knowledgeBaseId}::uuid)
        ELSE distinct_lexemes END
    WHERE knowledge_base_id = ${knowledgeBaseId}::uuid`,
  { ids: 'knowledgeBaseId', isWrite: true },
);

/** The first deltas of a knowledge base, with the bytes of each and all before it: one more than a merge takes. */
const listDeltas = prepare(
  'list_frequency_deltas',
  ['knowledgeBaseId'],
  ({ knowledgeBaseId }) => sql<{ id: string; bytes: number }>`
    SELECT id, sum(pg_column_size(passage_counts)) OVER (ORDER BY id) AS bytes
    FROM document_frequency_deltas WHERE knowledge_base_id = ${knowledgeBaseId}::uuid
    ORDER BY id LIMIT ${sql.lit(DELTAS_PER_MERGE + 1)}`,
  { ids: 'knowledgeBaseId' },
);

/** Adds deltas to the merged counts. A count is negative while a deletion is merged but its import is not. */
async function mergeDeltas(transaction: Queryable, knowledgeBaseId: string, ids: string[]): Promise<void> {
  const { numAffectedRows: merged = 0n } = await sql`
    MERGE INTO document_frequencies AS counted USING (
      SELECT knowledge_base_id, account_id, key COLLATE "C" AS lexeme, sum(value::integer) AS change
      FROM document_frequency_deltas, jsonb_each_text(passage_counts)
      WHERE knowledge_base_id = ${knowledgeBaseId} AND id = ANY(${ids}::uuid[])
      GROUP BY knowledge_base_id, account_id, key HAVING sum(value::integer) <> 0 ORDER BY lexeme) AS changed
    ON counted.knowledge_base_id = changed.knowledge_base_id AND counted.knowledge_base_id = ${knowledgeBaseId}
      AND counted.lexeme = changed.lexeme
    WHEN MATCHED AND counted.passage_count + change = 0 THEN DELETE
    WHEN MATCHED THEN UPDATE SET passage_count = counted.passage_count + change
    WHEN NOT MATCHED THEN INSERT (knowledge_base_id, account_id, lexeme, passage_count)
      VALUES (changed.knowledge_base_id, changed.account_id, changed.lexeme, change)`.execute(transaction);
  await endMerge(transaction, { knowledgeBaseId, ids, merged });
}

/**
 * Merges some deltas of one knowledge base, unless another process holds the lock: the first, and others up to
 * `bytesMax`. Returns the bytes of those that are left; Infinity if they are more than a merge reads, and not counted.
 */
async function mergeSome(database: Database, knowledgeBaseId: string, bytesMax: number): Promise<number> {
  const isRecorded = await isDistributed(database);
  return await database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ locked: boolean }>`
      SELECT pg_try_advisory_xact_lock(${mergeLock(knowledgeBaseId)}) AS locked`.execute(transaction);
    if (!rows[0]?.locked) return 0;
    const deltas = await listDeltas(transaction, { knowledgeBaseId });
    const merged = deltas.slice(0, DELTAS_PER_MERGE).filter(({ bytes }, i) => i === 0 || bytes <= bytesMax);
    const ids = merged.map(({ id }) => id);
    if (ids.length > 0) {
      await mergeDeltas(transaction, knowledgeBaseId, ids);
      if (isRecorded) await recordIn(transaction, knowledgeBaseId);
    }
    if (deltas.length > DELTAS_PER_MERGE) return Number.POSITIVE_INFINITY;
    return (deltas.at(-1)?.bytes ?? 0) - (merged.at(-1)?.bytes ?? 0);
  });
}

/**
 * Merges some of the deltas of every knowledge base, of each `bytesMax` at most. Several servers may do so at once.
 * @returns whether there were any, and the bytes of those that are left and that no other server is merging; Infinity
 *   where one knowledge base has more than a merge reads
 */
export async function mergeFrequencyDeltas(
  database: Database,
  { bytesMax = MERGE_BYTES, signal }: { bytesMax?: number; signal?: AbortSignal | undefined } = {},
): Promise<{ areFound: boolean; bytesLeft: number }> {
  const changed = await database
    .selectFrom('document_frequency_deltas')
    .select('knowledge_base_id')
    .distinct()
    .execute();
  let bytesLeft = 0;
  for (const { knowledge_base_id } of changed) {
    signal?.throwIfAborted();
    bytesLeft += await mergeSome(database, knowledge_base_id, bytesMax);
  }
  return { areFound: changed.length > 0, bytesLeft };
}
