/** Which attributes the documents of a knowledge base have: names, types, and the most frequent values. */
import { sql } from 'kysely';
import type {
  AttributeSummary,
  AttributeType,
  AttributeTypeSummary,
} from '../../../../generated/types.gen.ts';
import type { Queryable } from '../../connection/database.ts';
import type { OwnedKnowledgeBase } from '../knowledge-bases.ts';
import { type DocumentFilter, fits } from './document-filter.ts';

/** Only the newest documents are counted, so that the work does not grow with the knowledge base. */
const COUNTED_MAX = 10_000;
/** Attributes are counted up to the document with which they have so many bytes: ten thousand times 1.6 KB. */
const COUNTED_BYTES_MAX = 16 * 1024 ** 2;
/** Attributes in an answer, the most frequent ones. */
const NAMES_MAX = 100;
/** Values of each type of an attribute in an answer, the most frequent ones. */
const VALUES_MAX = 10;

type Row = AttributeTypeSummary & {
  name: string;
  type: AttributeType;
  /** Documents with the attribute, of any type. */
  total: number;
  lowest: number | null;
  highest: number | null;
};

type Counted = { countedDocuments: number; isComplete: boolean; rows: Row[] };

/**
 * SQL for the newest processed documents that fit the filter, as tables. `counted`: those that are counted. `pairs`:
 * each attribute of each of them. `spread`: each of its values, an element of a list once.
 */
const countedValues = (
  { accountId, knowledgeBaseId }: OwnedKnowledgeBase,
  filter: DocumentFilter | undefined,
) => sql`
    listed AS MATERIALIZED (
      SELECT id, attributes, storage_bytes - size_bytes AS bytes, created_at FROM documents
      WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND account_id = ${accountId}::uuid AND status = 'processed'
        AND ${fits(filter)}
      ORDER BY created_at DESC, id DESC LIMIT ${sql.lit(COUNTED_MAX + 1)}),
    numbered AS (
      SELECT id, attributes, row_number() OVER newest AS number, sum(bytes) OVER newest - bytes AS bytes_before
      FROM listed WINDOW newest AS (ORDER BY created_at DESC, id DESC ROWS UNBOUNDED PRECEDING)),
    counted AS MATERIALIZED (
      SELECT id, attributes FROM numbered
      WHERE number <= ${sql.lit(COUNTED_MAX)} AND bytes_before < ${sql.lit(COUNTED_BYTES_MAX)}),
    pairs AS MATERIALIZED (
      SELECT key AS name, value, CASE jsonb_typeof(value) WHEN 'string' THEN 'text' WHEN 'array' THEN 'list'
        ELSE jsonb_typeof(value) END AS type
      FROM counted, jsonb_each(attributes)),
    spread AS (
      SELECT name, type, value FROM pairs WHERE type <> 'list'
      UNION ALL
      SELECT name, type, element FROM pairs, LATERAL (
        SELECT DISTINCT element FROM jsonb_array_elements(value) AS element) AS elements WHERE type = 'list')`;

/** Counts the attributes of the documents that fit `filter`, of all by default. One statement, in one shard. */
async function countAttributes(
  database: Queryable,
  owned: OwnedKnowledgeBase,
  filter: DocumentFilter | undefined,
): Promise<Counted> {
  const { rows } = await sql<Counted>`
    WITH ${countedValues(owned, filter)},
    types AS (SELECT name, type, count(*) AS documents FROM pairs GROUP BY name, type),
    names AS (
      SELECT name, sum(documents) AS total FROM types GROUP BY name
      ORDER BY total DESC, name COLLATE "C" LIMIT ${sql.lit(NAMES_MAX + 1)}),
    frequencies AS (SELECT name, type, value, count(*) AS documents FROM spread GROUP BY name, type, value),
    ordered AS (
      SELECT *, row_number() OVER (PARTITION BY name, type ORDER BY documents DESC, value) AS place FROM frequencies),
    most AS (
      SELECT name, type, count(*) AS value_count,
        coalesce(jsonb_agg(jsonb_build_object('value', value, 'documentCount', documents) ORDER BY place)
          FILTER (WHERE place <= ${sql.lit(VALUES_MAX)}), '[]') AS values,
        min(CASE type WHEN 'number' THEN value::numeric END)::float8 AS lowest,
        max(CASE type WHEN 'number' THEN value::numeric END)::float8 AS highest
      FROM ordered GROUP BY name, type)
    SELECT (SELECT count(*) FROM counted)::integer AS "countedDocuments",
      (SELECT count(*) FROM counted) = (SELECT count(*) FROM listed) AS "isComplete",
      (SELECT coalesce(jsonb_agg(jsonb_build_object('name', name, 'total', total, 'type', type,
          'documentCount', documents, 'valueCount', coalesce(value_count, 0), 'values', coalesce(values, '[]'),
          'lowest', lowest, 'highest', highest) ORDER BY total DESC, name COLLATE "C", documents DESC, type), '[]')
        FROM names JOIN types USING (name) LEFT JOIN most USING (name, type)) AS rows`.execute(database);
  return rows[0] ?? { countedDocuments: 0, isComplete: true, rows: [] };
}

const toTypeSummary = ({ type, documentCount, valueCount, values, lowest, highest }: Row) => ({
  type,
  documentCount,
  valueCount,
  values,
  ...(lowest !== null && { minimum: lowest }),
  ...(highest !== null && { maximum: highest }),
});

/**
 * The attributes of a knowledge base, the most frequent first; of one name, its types in the same order, and of one
 * type its values. Only documents that are `processed` and fit `filter` count. `isComplete`: all of them are counted,
 * and all names are here.
 */
export async function summariseAttributes(
  database: Queryable,
  owned: OwnedKnowledgeBase,
  filter?: DocumentFilter,
): Promise<{ attributes: AttributeSummary[]; countedDocuments: number; isComplete: boolean }> {
  const { rows, countedDocuments, isComplete } = await countAttributes(database, owned, filter);
  const attributes = [...Map.groupBy(rows, ({ name }) => name)].map(([name, ofName]) => ({
    name,
    documentCount: ofName[0]?.total ?? 0,
    types: ofName.map(toTypeSummary),
  }));
  return {
    attributes: attributes.slice(0, NAMES_MAX),
    countedDocuments,
    isComplete: isComplete && attributes.length <= NAMES_MAX,
  };
}
