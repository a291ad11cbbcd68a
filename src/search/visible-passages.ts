/**
 * SQL for the passages of the documents that a restricted key sees, and for a sample of them. Every number that such a
 * key's search uses comes from these: the counts of the index would tell of other documents.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../database/connection/database.ts';
import { isDistributed } from '../database/distribution/distribution.ts';
import { type DocumentFilter, fitsFilter } from '../database/rows/documents/document-filter.ts';

/** The knowledge bases with these ids, and which of their documents exist for the caller. */
export type VisiblePassages = { ids: string[]; restriction: DocumentFilter };

/**
 * Passages that are counted, evenly spaced among all. To read and count one takes 20 to 40 microseconds. What few of
 * them have is counted by the index (see query/visible-statistics.ts).
 */
const SAMPLED_MAX = 1_000;

/** SQL for a quotient of whole numbers, rounded up. */
const ceilingOf = (dividend: RawBuilder<unknown>, divisor: RawBuilder<unknown>) =>
  sql`((${dividend}) + ${divisor} - 1) / ${divisor}`;

/**
 * SQL for the tables of the passages.
 *
 * - `visible`: the documents, with the number of passages `passage_count`, and of those `before` them.
 * - `extent`, one row: the number of all passages, and of those `sampled`. Without any, `sampled` is 1.
 * - `sample`: `lexemes`, `length` and `language` of every nth passage; of all where they are at most SAMPLED_MAX.
 */
export function visibleTables({
  ids,
  ...filter
}: Record<'ids' | 'path' | 'hasFields', RawBuilder<unknown>>): RawBuilder<unknown> {
  const [before, total, sampled] = [sql.ref('before'), sql.ref('passages'), sql.ref('sampled')];
  // The sample has the passages number n × passages / sampled, rounded down.
  const first = ceilingOf(sql`${before} * ${sampled}`, total);
  const next = ceilingOf(sql`(${before} + passage_count) * ${sampled}`, total);
  const passages = sql`passage_lexemes JOIN passages USING (knowledge_base_id, document_id, position)`;
  return sql`
    visible AS MATERIALIZED (
      SELECT knowledge_base_id, id, passage_count,
        sum(passage_count) OVER (ORDER BY id, knowledge_base_id) - passage_count AS before
      FROM documents
      WHERE knowledge_base_id = ANY(${ids}::uuid[]) AND passage_count > 0 AND ${fitsFilter(filter)}),
    extent AS MATERIALIZED (
      SELECT passages, greatest(least(passages, ${sql.lit(SAMPLED_MAX)}), 1) AS sampled
      FROM (SELECT coalesce(sum(passage_count), 0)::bigint AS passages FROM visible) AS counted),
    sample AS MATERIALIZED (
      SELECT own.* FROM (
        SELECT knowledge_base_id, id, (number * ${total} / ${sampled} - ${before} + 1)::integer AS position
        FROM visible CROSS JOIN extent CROSS JOIN LATERAL generate_series(${first}, ${next} - 1) AS number
      ) AS picked CROSS JOIN LATERAL (
        SELECT lexemes, length, language FROM ${passages}
        WHERE passage_lexemes.knowledge_base_id = picked.knowledge_base_id
          AND passage_lexemes.document_id = picked.id AND passage_lexemes.position = picked.position OFFSET 0) AS own)`;
}

/** SQL for whether a passage of `table` is of a document in `visible`. */
export function isVisible(table: string) {
  const [knowledgeBase, document] = [sql.ref(`${table}.knowledge_base_id`), sql.ref(`${table}.document_id`)];
  return sql`(${knowledgeBase}, ${document}) IN (SELECT knowledge_base_id, id FROM visible)`;
}

/** What a number of sampled passages stands for among all. */
export const scaled = (count: RawBuilder<unknown>) =>
  sql`greatest(round(${count}::numeric * (SELECT passages::numeric / sampled FROM extent)), 1)::bigint`;

/**
 * Reads something of all knowledge bases at once; where Citus distributes them, of each one in its shard.
 */
export async function readInEach<Row>(
  database: Queryable,
  ids: string[],
  read: (ids: string[]) => Promise<Row>,
): Promise<Row[]> {
  if (!(await isDistributed(database))) return [await read(ids)];
  return await Promise.all(ids.map((id) => read([id])));
}
