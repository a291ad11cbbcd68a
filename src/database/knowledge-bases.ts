/** Statements on knowledge bases that more than one operation needs. */
import { type RawBuilder, sql } from 'kysely';
import { knowledgeBaseNotFound } from '../errors.ts';
import type { Queryable } from './database.ts';
import { prepare } from './prepared.ts';

export type OwnedKnowledgeBase = { accountId: string; knowledgeBaseId: string };

/** Selects one row if the account has this knowledge base and has not deleted it. */
export const liveKnowledgeBase = ({
  accountId,
  knowledgeBaseId,
}: Record<keyof OwnedKnowledgeBase, RawBuilder<unknown>>) => sql`
  SELECT 1 FROM knowledge_bases
  WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND account_id = ${accountId}::uuid AND deleted_at IS NULL`;

const find = prepare('find_knowledge_base', ['accountId', 'knowledgeBaseId'], liveKnowledgeBase);
const lock = prepare(
  'lock_knowledge_base',
  ['accountId', 'knowledgeBaseId'],
  (owned) => sql`${liveKnowledgeBase(owned)} FOR SHARE`,
);

/** @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has this knowledge base. */
export async function requireKnowledgeBase(database: Queryable, owned: OwnedKnowledgeBase): Promise<void> {
  const rows = await find(database, owned);
  if (rows.length === 0) throw knowledgeBaseNotFound();
}

/**
 * Keeps the knowledge base from being deleted until the transaction ends. Each transaction that adds to it takes this
 * lock first.
 * @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has it.
 */
export async function lockKnowledgeBase(transaction: Queryable, owned: OwnedKnowledgeBase): Promise<void> {
  const rows = await lock(transaction, owned);
  if (rows.length === 0) throw knowledgeBaseNotFound();
}
