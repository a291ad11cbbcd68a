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
