/** SQL that keeps one of the passages that have the same text: a file that was stored twice, a page's menu, a form. */
import { type RawBuilder, sql } from 'kysely';
import { inShards } from '../../database/schema/distributed-tables.ts';
import type { Distribution } from './distribution.ts';

/** The columns that name a passage. */
const PASSAGE = sql`knowledge_base_id, document_id, position`;

/**
 * Passages can only have the same text if they have the same length. Only the texts of those are read. They are sorted
 * without their tsvectors, which are many times as long as the rest of a candidate.
 */
function textsOf(group: RawBuilder<unknown>, ids: RawBuilder<unknown>, { isDistributed }: Distribution) {
  // OFFSET keeps PostgreSQL from reading all passages of all knowledge bases instead.
  return isDistributed
    ? sql`
      SELECT ${PASSAGE}, content FROM ${group} JOIN passages USING (${PASSAGE})
      WHERE alike > 1 AND ${inShards(ids, 'passages')}`
    : sql`
      SELECT ${PASSAGE}, content FROM ${group} AS alike CROSS JOIN LATERAL (
        SELECT content FROM passages
        WHERE passages.knowledge_base_id = alike.knowledge_base_id AND passages.document_id = alike.document_id
          AND passages.position = alike.position OFFSET 0) AS text
      WHERE alike > 1`;
}

/**
 * `from`: a table with the columns of a candidate. `copies`: SQL for how many passages each of its rows stands for.
 * `most`: SQL for how many rows are compared, the best ones; NULL: all.
 */
type Comparison = {
  from: string;
  copies: RawBuilder<unknown>;
  most: RawBuilder<unknown>;
  ids: RawBuilder<unknown>;
  distribution: Distribution;
};

/**
 * SQL for the tables that lead to the table `name`, which has of all passages of `from` with the same text only the
 * best, and in `copies` their number.
 */
export function distinctTables(name: string, { from, copies, most, ids, distribution }: Comparison) {
  const [group, texts, kept] = ['alike', 'texts', 'kept'].map((part) => sql.ref(`${name}_${part}`)) as [
    RawBuilder<unknown>,
    RawBuilder<unknown>,
    RawBuilder<unknown>,
  ];
  const same = sql`PARTITION BY norm, content COLLATE "C"`;
  return sql`
    ${group} AS MATERIALIZED (
      SELECT *, count(*) OVER (PARTITION BY norm) AS alike
      FROM (
        SELECT ${PASSAGE}, norm, score, ${copies} AS copies FROM ${sql.ref(from)}
        ORDER BY score DESC, document_id DESC, position LIMIT ${most}) AS best),
    ${texts} AS MATERIALIZED (${textsOf(group, ids, distribution)}),
    ${kept} AS MATERIALIZED (
      SELECT ${PASSAGE}, copies
      FROM (
        SELECT ${PASSAGE}, greatest(max(copies) OVER (${same}), count(*) OVER (${same})) AS copies,
          row_number() OVER (${same} ORDER BY score DESC, document_id DESC, position) AS place
        FROM ${group} LEFT JOIN ${texts} USING (${PASSAGE})) AS placed
      WHERE place = 1),
    ${sql.ref(name)} AS MATERIALIZED (
      SELECT ${PASSAGE}, lexemes, norm, score, ${kept}.copies
      FROM ${sql.ref(from)} JOIN ${kept} USING (${PASSAGE}))`;
}
