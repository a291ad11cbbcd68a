/** The document frequencies of lexemes in knowledge bases. */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import type { DocumentFilter } from '../../database/rows/documents/document-filter.ts';
import { frequencyRows, mergedInEach, mergedWhere } from '../../indexing/postings/document-frequencies.ts';
import { readVisibleFrequencies } from './visible-statistics.ts';

/** `isNarrow`: there are few knowledge bases. */
export type Width = { isNarrow: boolean };

/** `frequencies`: by lexeme; lexemes that occur nowhere are missing. */
export type FrequencyRow = { frequencies: Record<string, number> };

/** SQL for the ids of the CTE `searched`. */
export const searchedIds = sql`ARRAY(SELECT knowledge_base_id FROM searched)`;

/**
 * SQL for whether a row is of a searched knowledge base. PostgreSQL hashes IN, but compares each element of an array.
 */
export const isSearchedIn = ({ isNarrow }: Width) =>
  isNarrow
    ? sql`knowledge_base_id = ANY(${searchedIds})`
    : sql`knowledge_base_id IN (SELECT knowledge_base_id FROM searched)`;

/**
 * SQL for the merged counts of the lexemes in the CTE `query_lexemes`. For many knowledge bases, PostgreSQL reads the
 * rows of each lexeme together, by the account's index. `IS TRUE` keeps it from using another index.
 */
export const mergedCounts = (scope: Width, accountId: RawBuilder<unknown>) =>
  scope.isNarrow
    ? mergedInEach('query_lexemes', 'searched')
    : mergedWhere('query_lexemes', sql`account_id = ${accountId} AND (${isSearchedIn(scope)}) IS TRUE`);

/** SQL for the document frequencies of the lexemes in `rows`, as one JSON object. */
export const frequenciesIn = (rows: RawBuilder<unknown>) => sql`
  SELECT coalesce(json_object_agg(lexeme, passage_count), '{}') AS frequencies FROM (
    SELECT lexeme, sum(passage_count)::bigint AS passage_count
    FROM (${rows}) AS counted
    GROUP BY lexeme HAVING sum(passage_count) > 0) AS occurring`;

/** The document frequencies of all servers. */
export function addFrequencies(rows: FrequencyRow[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const { frequencies } of rows)
    for (const [lexeme, count] of Object.entries(frequencies))
      sums.set(lexeme, (sums.get(lexeme) ?? 0) + count);
  return Object.fromEntries(sums);
}

/**
 * More knowledge bases than this are many. To look them up one by one takes, compared with reading all 1,000 of an
 * account: for 20 an eighth of the time, for 100 six tenths, for 400 one and a half times as long.
 */
export const FEW_MAX = 100;

const FREQUENCY_VALUES = ['accountId', 'ids', 'lexemes'] as const;

const prepareFrequencies = (name: string, scope: Width) =>
  prepare(
    name,
    FREQUENCY_VALUES,
    ({ accountId, ids, lexemes }) => sql<FrequencyRow>`
    WITH searched AS MATERIALIZED (
      SELECT knowledge_base_id FROM knowledge_bases
      WHERE account_id = ${accountId}::uuid AND knowledge_base_id = ANY(${ids}::uuid[])),
    query_lexemes AS MATERIALIZED (SELECT unnest(${lexemes}::text[]) AS lexeme)
    ${frequenciesIn(
      frequencyRows('query_lexemes', {
        merged: mergedCounts(scope, sql`${accountId}::uuid`),
        isSearched: isSearchedIn(scope),
      }),
    )}`,
    { ids: 'ids', combine: (parts) => [{ frequencies: addFrequencies(parts.flat()) }] },
  );

const FREQUENCIES = {
  few: prepareFrequencies('frequencies_in_few', { isNarrow: true }),
  many: prepareFrequencies('frequencies_in_many', { isNarrow: false }),
};

/**
 * Document frequencies of distinct lexemes in these knowledge bases of the account; those that occur nowhere are
 * missing. `restriction`: only documents that fit it count.
 */
export async function readFrequencies(
  database: Queryable,
  {
    accountId,
    ids,
    restriction,
  }: { accountId: string; ids: string[]; restriction?: DocumentFilter | undefined },
  lexemes: string[],
): Promise<Map<string, number>> {
  if (restriction) return await readVisibleFrequencies(database, { ids, restriction }, lexemes);
  const read = ids.length > FEW_MAX ? FREQUENCIES.many : FREQUENCIES.few;
  // In PostgreSQL's own notation, because the driver would check each of a thousand ids for characters to quote.
  const [row] = await read(database, { accountId, ids: `{${ids}}`, lexemes });
  return new Map(Object.entries(row?.frequencies ?? {}));
}
