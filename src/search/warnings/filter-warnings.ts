/**
 * Why a filter leaves nothing of a search: no document has the attribute, or all have values of another type. It is
 * looked up only after a search that has found nothing.
 */
import { sql } from 'kysely';
import type { AttributeType, Filter, QueryWarning } from '../../../generated/types.gen.ts';
import { nearestName } from '../../analysis/edits/near-name.ts';
import { withStatementBound } from '../../database/connection/bounded-statements.ts';
import type { Queryable } from '../../database/connection/database.ts';
import { fits } from '../../database/rows/documents/document-filter.ts';
import { ServiceError } from '../../terms/errors.ts';
import type { SearchRequest } from '../search.ts';

/** Documents that are looked at, and the time for it: without an answer in time there is no warning. */
const LOOKED_AT_MAX = 10_000;
const LOOK_UP_MS = 500;
/** An answer has at most eight warnings, two of them of models. */
const WARNINGS_MAX = 6;
/**
 * Names that a hint may be, the most frequent ones: to compare two names takes microseconds, and documents may have
 * 160,000.
 */
const NAMES_MAX = 200;

/** What a condition needs of a document: a value of one of these types. No types: any value. */
type Need = { key: string; types: AttributeType[] };

const typesOf = (value: unknown): AttributeType[] => {
  if (typeof value === 'number') return ['number'];
  return typeof value === 'boolean' ? ['boolean'] : ['text', 'list'];
};

/**
 * What the conditions need that have to apply, alone or beside others. Conditions that documents without the attribute
 * fit, such as `ne`, need nothing. Fields that every document has are no attributes.
 */
function needsOf(filter: Filter): Need[] {
  if ('filters' in filter) return filter.type === 'not' ? [] : filter.filters.flatMap(needsOf);
  const { key, type } = filter;
  if (key.startsWith('$') || type === 'ne' || type === 'nin') return [];
  if (type === 'exists') return [{ key, types: [] }];
  const types = [filter.value].flat().flatMap(typesOf);
  return types.length === 0 ? [] : [{ key, types }];
}

type Found = { name: string; type: AttributeType; documents: number };

/**
 * How many of the searched documents have which attributes, by type: the attributes of the needs, and the NAMES_MAX
 * most frequent attributes. At most LOOKED_AT_MAX documents are looked at.
 */
async function countTypes(
  database: Queryable,
  { accountId, knowledgeBaseIds, scope, restriction }: SearchRequest,
  needs: Need[],
): Promise<{ found: Found[]; lookedAt: number }> {
  const ids = knowledgeBaseIds ?? null;
  // In a query of its own, since columns of both tables have the names of fields.
  const isVisible = restriction
    ? sql`AND EXISTS (SELECT FROM documents AS own
          WHERE own.knowledge_base_id = documents.knowledge_base_id AND own.id = documents.id AND ${fits(restriction)})`
    : sql``;
  const documents = scope?.documents?.map(({ id }) => id) ?? null;
  const keys = needs.map(({ key }) => key);
  const { rows } = await sql<{ found: Found[]; lookedAt: number }>`
    WITH searched AS MATERIALIZED (
      SELECT attributes FROM documents JOIN knowledge_bases USING (knowledge_base_id)
      WHERE documents.account_id = ${accountId}::uuid AND deleted_at IS NULL AND status = 'processed'
        AND (${ids}::uuid[] IS NULL OR documents.knowledge_base_id = ANY(${ids}::uuid[]))
        AND (${documents}::uuid[] IS NULL OR documents.id = ANY(${documents}::uuid[])) ${isVisible}
      LIMIT ${sql.lit(LOOKED_AT_MAX)}),
    counted AS (
      SELECT key AS name, CASE jsonb_typeof(value) WHEN 'string' THEN 'text' WHEN 'array' THEN 'list'
        ELSE jsonb_typeof(value) END AS type, count(*)::integer AS documents
      FROM searched, jsonb_each(attributes) GROUP BY 1, 2)
    SELECT (SELECT count(*) FROM searched)::integer AS "lookedAt",
      (SELECT coalesce(jsonb_agg(told ORDER BY documents DESC), '[]') FROM (
        (SELECT * FROM counted ORDER BY documents DESC LIMIT ${sql.lit(NAMES_MAX)})
        UNION SELECT * FROM counted WHERE name = ANY(${keys}::text[])) AS told) AS found`.execute(database);
  return rows[0] ?? { found: [], lookedAt: 0 };
}

const NAMES: Record<AttributeType, string> = {
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list of texts',
};

/** `No document`; where there are more than were looked at, `None of 10,000 documents`. */
const noneOf = (lookedAt: number): string =>
  lookedAt < LOOKED_AT_MAX ? 'No document' : `None of ${LOOKED_AT_MAX.toLocaleString('en')} documents`;

/** What is said of a need; undefined: some document meets it. */
function describe({ key, types }: Need, found: Found[], lookedAt: number): QueryWarning | undefined {
  const own = found.filter(({ name }) => name === key);
  const none = noneOf(lookedAt);
  if (own.length === 0) {
    const nearest = nearestName(key, [...new Set(found.map(({ name }) => name))]);
    const hint = nearest === undefined ? '.' : `; did you mean "${nearest}"?`;
    return { code: 'FILTER_ATTRIBUTE_UNKNOWN', message: `${none} has the attribute "${key}"${hint}` };
  }
  if (types.length === 0 || own.some(({ type }) => types.includes(type))) return undefined;
  const wanted = [...new Set(types)].filter((type) => type !== 'list').map((type) => NAMES[type]);
  const others = own.map(
    ({ type, documents }) => `${documents} ${documents === 1 ? 'has' : 'have'} ${NAMES[type]}`,
  );
  const message = `${none} has ${wanted.join(' or ')} as "${key}"; ${others.join(', ')}.`;
  return { code: 'FILTER_TYPE_DIFFERS', message };
}

/**
 * Warnings about the conditions of a filter that no searched document can fit, each once; none where the look-up takes
 * too long. Costs one statement.
 */
export async function findFilterWarnings(
  database: Queryable,
  request: SearchRequest,
  filter: Filter,
): Promise<QueryWarning[]> {
  const needs = needsOf(filter);
  if (needs.length === 0) return [];
  try {
    const { found, lookedAt } = await withStatementBound(LOOK_UP_MS, () =>
      countTypes(database, request, needs),
    );
    if (lookedAt === 0) return [];
    const warnings = new Map<string, QueryWarning>();
    for (const need of needs) {
      const warning = describe(need, found, lookedAt);
      if (warning) warnings.set(warning.message, warning);
      if (warnings.size === WARNINGS_MAX) break;
    }
    return [...warnings.values()];
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
}
