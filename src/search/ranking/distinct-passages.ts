/** SQL that keeps one of the passages that have the same text: a file that was stored twice, a page's menu, a form. */
import { type RawBuilder, sql } from 'kysely';
import { inShards } from '../../database/schema/distributed-tables.ts';
import type { Layout } from './layout.ts';

/**
 * Passages can only have the same text if they have the same length and the same words. Only those are read: to read a
 * text takes five times as long as to compare the words, and few searches find any.
 */
function textsOf(group: RawBuilder<unknown>, ids: RawBuilder<unknown>, { isDistributed }: Layout) {
  const passage = sql`knowledge_base_id, document_id, position`;
  // OFFSET keeps PostgreSQL from reading all passages of all knowledge bases instead.
  return isDistributed
    ? sql`
      SELECT ${passage}, content FROM ${group} JOIN passages USING (${passage})
      WHERE alike > 1 AND ${inShards(ids, 'passages')}`
    : sql`
      SELECT ${passage}, content FROM ${group} AS alike CROSS JOIN LATERAL (
        SELECT content FROM passages
        WHERE passages.knowledge_base_id = alike.knowledge_base_id AND passages.document_id = alike.document_id
          AND passages.position = alike.position OFFSET 0) AS text
      WHERE alike > 1`;
}

/**
 * The tables that lead from `from`, with the columns of a candidate and `copies`, to the table `name`, which has of all
 * passages with the same text only the best, and in `copies` their number.
 */
export function distinctTables(
  name: string,
  from: RawBuilder<unknown>,
  { ids, layout }: { ids: RawBuilder<unknown>; layout: Layout },
) {
  const [group, texts] = [sql.ref(`${name}_alike`), sql.ref(`${name}_texts`)];
  const same = sql`PARTITION BY norm, words, content`;
  return sql`
    ${group} AS MATERIALIZED (
      SELECT *, count(*) OVER (PARTITION BY norm, words) AS alike
      FROM (SELECT *, strip(ts_filter(lexemes, '{d}')) AS words FROM ${from}) AS worded),
    ${texts} AS MATERIALIZED (${textsOf(group, ids, layout)}),
    ${sql.ref(name)} AS MATERIALIZED (
      SELECT knowledge_base_id, document_id, position, lexemes, norm, score, copies
      FROM (
        SELECT knowledge_base_id, document_id, position, lexemes, norm, score,
          greatest(max(copies) OVER (${same}), count(*) OVER (${same})) AS copies,
          row_number() OVER (${same} ORDER BY score DESC, document_id DESC, position) AS place
        FROM ${group} LEFT JOIN ${texts} USING (knowledge_base_id, document_id, position)) AS placed
      WHERE place = 1)`;
}
