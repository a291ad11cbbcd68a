/** The kept queries in the database, of accounts that want them, up to bounds of number, bytes and age. */
import { sql, type Transaction } from 'kysely';
import type { KeptQuery, QueryRequest } from '../../../../generated/types.gen.ts';
import type { Queryable } from '../../connection/database.ts';
import { prepare } from '../../connection/prepared.ts';
import type { Tables } from '../../schema/tables.ts';

/** Of an account: its last queries, by number and by the bytes of their requests. */
const KEPT_MAX = 1_000;
const KEPT_MAX_BYTES = 4 * 1024 ** 2;
const KEPT_DAYS = 30;

/**
 * An answered query. `request`: its body, as JSON. `knowledgeBaseIds`: the knowledge bases that the request names, or
 * that hold documents which it names. `ageMs`: the time since it was sent.
 */
export type AnsweredQuery = {
  accountId: string;
  id: string;
  request: string;
  knowledgeBaseIds: string[];
  resultCount: number;
  durationMs: number;
  ageMs: number;
};

/** Begins to keep the queries of an account, or goes on. Returns since when. */
export async function beginHistory(database: Queryable, accountId: string): Promise<Date> {
  const { rows } = await sql<{ keptSince: Date }>`
    INSERT INTO query_histories (account_id, kept_since) VALUES (${accountId}, date_trunc('milliseconds', now()))
    ON CONFLICT (account_id) DO UPDATE SET kept_since = query_histories.kept_since
    RETURNING kept_since AS "keptSince"`.execute(database);
  const [row] = rows;
  if (row === undefined) throw new Error('an upsert returns its row');
  return row.keptSince;
}

/**
 * Keeps no queries of an account any more, and removes those that were kept: after those that add to the history at the
 * time, since the second statement sees what they have added.
 */
export async function endHistory(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  await transaction.deleteFrom('query_histories').where('account_id', '=', accountId).execute();
  await transaction.deleteFrom('kept_queries').where('account_id', '=', accountId).execute();
}

const findKeeping = prepare(
  'find_keeping_accounts',
  ['accountIds'],
  ({ accountIds }) => sql<{ accountId: string }>`
    SELECT account_id AS "accountId" FROM query_histories WHERE account_id = ANY(${accountIds}::uuid[])`,
);

/** Those of the accounts that want their queries kept. */
export async function findKeepingAccounts(
  database: Queryable,
  accountIds: string[],
): Promise<ReadonlySet<string>> {
  return new Set((await findKeeping(database, { accountIds })).map(({ accountId }) => accountId));
}

/**
 * Without those that were sent before the history began. Locks the histories: one that ends at the time does so before,
 * and takes nothing; or after, and removes all.
 */
const insertQueries = (queries: AnsweredQuery[]) => sql`
  INSERT INTO kept_queries
    (account_id, sent_at, id, request, bytes, knowledge_base_ids, result_count, duration_ms)
  SELECT account_id, date_trunc('milliseconds', now() - make_interval(secs => "ageMs" / 1000)), id, request::json,
    octet_length(request), "knowledgeBaseIds", "resultCount", "durationMs"
  FROM jsonb_to_recordset(${JSON.stringify(queries)}::jsonb) AS given ("accountId" uuid, id uuid, request text,
      "knowledgeBaseIds" uuid[], "resultCount" integer, "durationMs" integer, "ageMs" float8)
    JOIN query_histories ON account_id = "accountId"
  WHERE now() - make_interval(secs => "ageMs" / 1000) >= kept_since
  FOR KEY SHARE OF query_histories`;

/** Removes the queries that name a knowledge base that is gone. */
async function forgetDeleted(database: Queryable, accountIds: string[], named: string[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT knowledge_base_id AS id FROM knowledge_bases
    WHERE knowledge_base_id = ANY (${named}::uuid[]) AND deleted_at IS NULL`.execute(database);
  const live = new Set(rows.map(({ id }) => id));
  const gone = named.filter((id) => !live.has(id));
  if (gone.length > 0)
    await sql`DELETE FROM kept_queries
      WHERE account_id = ANY (${accountIds}::uuid[]) AND knowledge_base_ids && ${gone}::uuid[]`.execute(
      database,
    );
}

/** Removes all but the last queries of these accounts. */
const removeExcess = (accountIds: string[]) => sql`
  DELETE FROM kept_queries AS kept USING (
    SELECT account_id, sent_at, id, row_number() OVER latest AS number, sum(bytes) OVER latest AS total
    FROM kept_queries WHERE account_id = ANY (${accountIds}::uuid[])
    WINDOW latest AS (PARTITION BY account_id ORDER BY sent_at DESC, id DESC)) AS ranked
  WHERE (number > ${KEPT_MAX} OR total > ${KEPT_MAX_BYTES})
    AND kept.account_id = ranked.account_id AND kept.sent_at = ranked.sent_at AND kept.id = ranked.id`;

/**
 * Keeps these queries, as far as their accounts still want that. A deletion of a knowledge base that commits before the
 * look at it is found by that; one that commits later removes what is stored by then.
 */
export async function keepQueries(database: Queryable, queries: AnsweredQuery[]): Promise<void> {
  await insertQueries(queries).execute(database);
  const accountIds = [...new Set(queries.map(({ accountId }) => accountId))];
  const named = [...new Set(queries.flatMap(({ knowledgeBaseIds }) => knowledgeBaseIds))];
  if (named.length > 0) await forgetDeleted(database, accountIds, named);
  await removeExcess(accountIds).execute(database);
}

/** Removes the queries that name a knowledge base, which is deleted. */
export async function forgetKnowledgeBase(database: Queryable, knowledgeBaseId: string): Promise<void> {
  const owner = await database
    .selectFrom('knowledge_bases')
    .select('account_id')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .executeTakeFirst();
  if (owner === undefined) return;
  await sql`DELETE FROM kept_queries
    WHERE account_id = ${owner.account_id} AND ${knowledgeBaseId} = ANY (knowledge_base_ids)`.execute(
    database,
  );
}

const isRecent = sql<boolean>`sent_at > now() - make_interval(days => ${sql.lit(KEPT_DAYS)})`;

/** Removes the queries that are too old. */
export async function removeOldQueries(database: Queryable): Promise<void> {
  await sql`DELETE FROM kept_queries WHERE NOT ${isRecent}`.execute(database);
}

/** The last queries, the latest first, and since when they are kept: null, they are not. */
export async function readHistory(
  database: Queryable,
  accountId: string,
  limit: number,
): Promise<{ keptSince: string | null; queries: KeptQuery[] }> {
  const history = await database
    .selectFrom('query_histories')
    .select('kept_since')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (history === undefined) return { keptSince: null, queries: [] };
  const rows = await database
    .selectFrom('kept_queries')
    .select(['id', 'sent_at', 'request', 'result_count', 'duration_ms'])
    .where('account_id', '=', accountId)
    .where(isRecent)
    .orderBy('sent_at', 'desc')
    .orderBy('id', 'desc')
    .limit(Math.min(limit, KEPT_MAX))
    .execute();
  const queries = rows.map((row) => ({
    id: row.id,
    sentAt: row.sent_at.toISOString(),
    request: row.request as QueryRequest, // as it was validated
    resultCount: row.result_count,
    durationMs: row.duration_ms,
  }));
  return { keptSince: history.kept_since.toISOString(), queries };
}
