/** Statements on knowledge bases that more than one operation needs. */
import { type RawBuilder, sql } from 'kysely';
import type { Language } from '../analysis/language.ts';
import { knowledgeBaseNotFound } from '../errors.ts';
import type { Queryable } from './database.ts';
import { prepare } from './prepared.ts';

type Owned = { accountId: string; knowledgeBaseId: string };

const liveKnowledgeBase = ({ accountId, knowledgeBaseId }: Record<keyof Owned, RawBuilder<unknown>>) => sql`
  SELECT 1 FROM knowledge_bases
  WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND account_id = ${accountId}::uuid AND deleted_at IS NULL`;

const find = prepare('find_knowledge_base', ['accountId', 'knowledgeBaseId'], liveKnowledgeBase);
const lock = prepare(
  'lock_knowledge_base',
  ['accountId', 'knowledgeBaseId'],
  (owned) => sql`${liveKnowledgeBase(owned)} FOR SHARE`,
);

/** @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has this knowledge base. */
export async function requireKnowledgeBase(database: Queryable, owned: Owned): Promise<void> {
  const rows = await find(database, owned);
  if (rows.length === 0) throw knowledgeBaseNotFound();
}

/** A language of a smaller share of the passages does not make the next text in it likely. */
const EXPECTED_MIN_SHARE = 0.1;

const findLanguages = prepare(
  'languages_of_knowledge_base',
  ['accountId', 'knowledgeBaseId'],
  (owned) => sql<{ languages: Language[] }>`
    SELECT ARRAY(
      SELECT language FROM (
        SELECT language, passage_count, sum(passage_count) OVER () AS total
        FROM language_statistics WHERE knowledge_base_id = ${owned.knowledgeBaseId}::uuid AND language <> 'simple') AS stemmed
      WHERE passage_count >= ${sql.lit(EXPECTED_MIN_SHARE)} * total
      ORDER BY passage_count DESC, language) AS languages
    FROM (${liveKnowledgeBase(owned)}) AS live`,
);

/**
 * The languages with a stemmer that the knowledge base is mostly written in, the most frequent first.
 * @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has it.
 */
export async function readLanguages(database: Queryable, owned: Owned): Promise<Language[]> {
  const [row] = await findLanguages(database, owned);
  if (row === undefined) throw knowledgeBaseNotFound();
  return row.languages;
}

/**
 * Keeps the knowledge base from being deleted until the transaction ends. Each transaction that adds to it takes this
 * lock first.
 * @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has it.
 */
export async function lockKnowledgeBase(transaction: Queryable, owned: Owned): Promise<void> {
  const rows = await lock(transaction, owned);
  if (rows.length === 0) throw knowledgeBaseNotFound();
}
