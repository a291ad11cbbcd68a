/**
 * The document frequency of each lexeme in a knowledge base, exact at any moment: the merged count plus the deltas of
 * imports and deletions since. A delta is a row (a large document has several), written in the transaction of the
 * import or deletion. A worker merges the deltas, so that imports neither wait for each other nor update thousands of
 * counters.
 */
import { type RawBuilder, sql } from 'kysely';
import { knowledgeBaseLexeme } from '../../analysis/reserved-lexemes.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { LEXEMES_PER_DELTA } from '../../database/tables.ts';
import type { ScopedId } from '../../ids.ts';

type Owned = ScopedId & { accountId: string };

/**
 * The INSERT that adds a document's deltas. `values` are placeholders; `lexemeCounts` is a binary array of jsonb
 * objects from lexeme to its number of passages.
 */
export const addLexemes = (
  values: Record<'knowledgeBaseId' | 'accountId' | 'lexemeCounts', RawBuilder<unknown>>,
) => sql`
  INSERT INTO document_frequency_deltas (knowledge_base_id, id, account_id, passage_counts)
  SELECT ${values.knowledgeBaseId}::uuid, gen_random_uuid(), ${values.accountId}::uuid, passage_counts
  FROM unnest(${values.lexemeCounts}::jsonb[]) AS passage_counts`;

/**
 * SQL for rows of `lexeme` and `passage_count`, several for a lexeme. Their sums are the document frequencies of the
 * lexemes in the CTE `words`: merged counts and deltas. `isCounted` selects the rows of the merged counts, `isSearched`
 * those of the deltas.
 *
 * Concatenation keeps a delta unpacked in memory, so PostgreSQL unpacks it once for all lexemes. OFFSET 0 makes it
 * iterate over the deltas and, for each, over the lexemes. In the other order it would write the unpacked deltas to
 * disk and read them again for each lexeme. jsonb finds a lexeme by binary search: with 512 lexemes and 1,104 deltas of
 * 5,000 each, that takes a fourth of the time of jsonb_each and a hash join.
 */
export const passageCounts = (
  words: string,
  { isCounted, isSearched }: Record<'isCounted' | 'isSearched', RawBuilder<unknown>>,
) => sql`
  SELECT lexeme, passage_count FROM document_frequencies
  WHERE ${isCounted} AND lexeme = ANY(ARRAY(SELECT lexeme FROM ${sql.table(words)}))
  UNION ALL
  SELECT changed.lexeme, changed.passage_count::bigint
  FROM (SELECT passage_counts || '{}' AS passage_counts FROM document_frequency_deltas WHERE ${isSearched} OFFSET 0) AS change
    CROSS JOIN LATERAL (
      SELECT lexeme, change.passage_counts ->> lexeme AS passage_count FROM ${sql.table(words)} OFFSET 0) AS changed
  WHERE changed.passage_count IS NOT NULL`;

/**
 * Adds the deltas that remove a document's lexemes, read from its passages. Passages of punctuation alone have none.
 */
export async function removeLexemes(transaction: Queryable, document: Owned): Promise<void> {
  await sql`
    INSERT INTO document_frequency_deltas (knowledge_base_id, id, account_id, passage_counts)
    SELECT ${document.knowledgeBaseId}, gen_random_uuid(), ${document.accountId},
      jsonb_object_agg(lexeme, -passage_count)
    FROM (
      SELECT word AS lexeme, ndoc AS passage_count,
        (row_number() OVER (ORDER BY word) - 1) / ${sql.lit(LEXEMES_PER_DELTA)} AS piece
      FROM ts_stat(format('SELECT lexemes FROM passage_lexemes WHERE knowledge_base_id = %L AND document_id = %L',
        ${document.knowledgeBaseId}::uuid, ${document.id}::uuid))
      WHERE word <> ${knowledgeBaseLexeme(document.knowledgeBaseId)}) AS gone
    GROUP BY piece`.execute(transaction);
}

/**
 * Name of the lock for changing a knowledge base's merged counts: one process holds it, others wait or do something
 * else.
 */
const lockName = (knowledgeBaseId: string) => sql`hashtextextended(${`lexemes of ${knowledgeBaseId}`}, 0)`;

/** Prevents merges in a knowledge base until the transaction ends. */
export async function lockLexemes(transaction: Queryable, knowledgeBaseId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${lockName(knowledgeBaseId)})`.execute(transaction);
}

/** Deletes the deltas of a knowledge base before it is purged. Later merges can no longer write anything for it. */
export async function dropFrequencyDeltas(database: Database, knowledgeBaseId: string): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await lockLexemes(transaction, knowledgeBaseId);
    await transaction
      .deleteFrom('document_frequency_deltas')
      .where('knowledge_base_id', '=', knowledgeBaseId)
      .execute();
  });
}

/**
 * Deltas that one merge takes at most, and large ones among them: half a second of work at most. With one large delta
 * in each merge, the deltas of an import of many large documents piled up for nine seconds, since fewer share their
 * words.
 */
const CHANGES_PER_MERGE = 500;
export const LARGE_DELTAS_PER_MERGE = 10;
/** Size as stored. The delta of a document of a few pages has a third of it. */
const LARGE_CHANGE_BYTES = 16_384;

/** The distinct lexemes are counted again after this many merged counts, if those are also a quarter of the lexemes. */
const MERGED_PER_COUNT = 10_000;

/**
 * Adds to the number of merged counts, and sometimes counts the distinct lexemes. Counting the new lexemes of each
 * merge would take a third of its time. This is the last statement of a merge, because imports wait for the row.
 */
async function noteMerged(transaction: Queryable, knowledgeBaseId: string, merged: bigint): Promise<void> {
  const isDue = sql`merged_lexemes + ${merged} >= greatest(${sql.lit(MERGED_PER_COUNT)}, distinct_lexemes / 4)`;
  await sql`
    UPDATE knowledge_base_statistics SET
      merged_lexemes = CASE WHEN ${isDue} THEN 0 ELSE merged_lexemes + ${merged} END,
      distinct_lexemes = CASE WHEN ${isDue} THEN
        (SELECT count(*) FROM document_frequencies WHERE knowledge_base_id = ${knowledgeBaseId})
        ELSE distinct_lexemes END
    WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(transaction);
}

/** Adds deltas to the merged counts. A count is below 0 while a deletion is merged and its import is not. */
async function mergeChanges(transaction: Queryable, knowledgeBaseId: string, ids: string[]): Promise<void> {
  const { numAffectedRows: merged = 0n } = await sql`
    MERGE INTO document_frequencies AS counted USING (
      SELECT account_id, key COLLATE "C" AS lexeme, sum(value::integer) AS change
      FROM document_frequency_deltas, jsonb_each_text(passage_counts)
      WHERE knowledge_base_id = ${knowledgeBaseId} AND id = ANY(${ids}::uuid[])
      GROUP BY account_id, key HAVING sum(value::integer) <> 0 ORDER BY lexeme) AS changed
    ON counted.knowledge_base_id = ${knowledgeBaseId} AND counted.lexeme = changed.lexeme
    WHEN MATCHED AND counted.passage_count + change = 0 THEN DELETE
    WHEN MATCHED THEN UPDATE SET passage_count = counted.passage_count + change
    WHEN NOT MATCHED THEN INSERT (knowledge_base_id, account_id, lexeme, passage_count)
      VALUES (${knowledgeBaseId}, changed.account_id, changed.lexeme, change)`.execute(transaction);
  await transaction
    .deleteFrom('document_frequency_deltas')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', 'in', ids)
    .execute();
  await noteMerged(transaction, knowledgeBaseId, merged);
}

/** Merges some deltas of one knowledge base, unless another process holds its lock. Returns whether some are left. */
async function mergeSome(database: Database, knowledgeBaseId: string): Promise<boolean> {
  return await database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ locked: boolean }>`
      SELECT pg_try_advisory_xact_lock(${lockName(knowledgeBaseId)}) AS locked`.execute(transaction);
    if (!rows[0]?.locked) return false;
    const { rows: changes } = await sql<{ id: string; large: number }>`
      SELECT id, count(*) FILTER (WHERE pg_column_size(passage_counts) > ${sql.lit(LARGE_CHANGE_BYTES)})
        OVER (ORDER BY id) AS large
      FROM document_frequency_deltas WHERE knowledge_base_id = ${knowledgeBaseId}
      ORDER BY id LIMIT ${sql.lit(CHANGES_PER_MERGE + 1)}`.execute(transaction);
    const ids = changes
      .slice(0, CHANGES_PER_MERGE)
      .filter(({ large }) => large <= LARGE_DELTAS_PER_MERGE)
      .map(({ id }) => id);
    if (ids.length > 0) await mergeChanges(transaction, knowledgeBaseId, ids);
    return ids.length < changes.length;
  });
}

/**
 * Merges some of the deltas of every knowledge base; several servers may do so at once.
 * @returns whether there were any, and whether some are left, apart from those that another server merges
 */
export async function mergeFrequencyDeltas(
  database: Database,
): Promise<{ areFound: boolean; areLeft: boolean }> {
  const changed = await database
    .selectFrom('document_frequency_deltas')
    .select('knowledge_base_id')
    .distinct()
    .execute();
  let areLeft = false;
  for (const { knowledge_base_id } of changed) {
    if (await mergeSome(database, knowledge_base_id)) areLeft = true;
  }
  return { areFound: changed.length > 0, areLeft };
}
