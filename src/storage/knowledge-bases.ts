/** Statements on knowledge bases that more than one operation needs. */
import { sql } from 'kysely';
import { knowledgeBaseNotFound } from '../errors.ts';
import type { Queryable } from './database.ts';

type Owned = { accountId: string; knowledgeBaseId: string };

/** @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has this knowledge base. */
export async function requireKnowledgeBase(
  database: Queryable,
  { accountId, knowledgeBaseId }: Owned,
): Promise<void> {
  const row = await liveKnowledgeBase(database, { accountId, knowledgeBaseId }).executeTakeFirst();
  if (row === undefined) throw knowledgeBaseNotFound();
}

/**
 * Keeps the knowledge base from being deleted until the transaction ends: whoever adds to it takes this first.
 * @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has it.
 */
export async function lockKnowledgeBase(transaction: Queryable, owned: Owned): Promise<void> {
  const row = await liveKnowledgeBase(transaction, owned).forShare().executeTakeFirst();
  if (row === undefined) throw knowledgeBaseNotFound();
}

const liveKnowledgeBase = (database: Queryable, { accountId, knowledgeBaseId }: Owned) =>
  database
    .selectFrom('knowledge_bases')
    .select(sql`1`.as('one'))
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null);

/** The knowledge bases that a query covers, and what they hold together. */
export type SearchedKnowledgeBases = {
  accountId: string;
  /** What the account has left, read along the way: each statement more would take a tenth of a query's time. */
  accountCredits: number;
  ids: string[];
  /** In which their passages were analysed. */
  languages: string[];
  passageCount: number;
  /** Sum of their passages' lengths in letters. */
  lengthTotal: number;
  /** Passages in the whole database by PostgreSQL's estimate; undefined before there is one. */
  storedPassages: number | undefined;
};

/**
 * The account's knowledge bases with these (distinct) `ids`, or all of them.
 * @throws KNOWLEDGE_BASE_NOT_FOUND when the account lacks one of the ids.
 */
export async function findSearchedKnowledgeBases(
  database: Queryable,
  accountId: string,
  ids: string[] | undefined,
): Promise<SearchedKnowledgeBases> {
  const named = ids === undefined ? sql`true` : sql`knowledge_base_id = ANY(${ids}::uuid[])`;
  const { rows } = await sql<
    Omit<SearchedKnowledgeBases, 'accountId' | 'storedPassages'> & { estimate: number }
  >`
    WITH searched AS (
      SELECT knowledge_base_id FROM knowledge_bases
      WHERE account_id = ${accountId} AND deleted_at IS NULL AND ${named})
    SELECT
      (SELECT coalesce(array_agg(knowledge_base_id::text), '{}') FROM searched) AS ids,
      (SELECT coalesce(array_agg(DISTINCT language), '{}')
        FROM language_statistics JOIN searched USING (knowledge_base_id)) AS languages,
      coalesce(sum(passage_count), 0)::bigint AS "passageCount",
      coalesce(sum(passage_length_total), 0)::bigint AS "lengthTotal",
      coalesce((SELECT credits FROM account_balances WHERE account_id = ${accountId}), 0)::bigint AS "accountCredits",
      (SELECT reltuples::bigint FROM pg_class WHERE oid = 'passage_lexemes'::regclass) AS estimate
    FROM knowledge_base_statistics JOIN searched USING (knowledge_base_id)`.execute(database);
  const [found] = rows;
  if (found === undefined || (ids !== undefined && found.ids.length < ids.length))
    throw knowledgeBaseNotFound();
  const { estimate, ...searched } = found;
  // PostgreSQL's -1: never looked at.
  return { accountId, ...searched, storedPassages: estimate < 0 ? undefined : estimate };
}
