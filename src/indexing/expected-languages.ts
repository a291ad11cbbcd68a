/** The languages that the next text of a knowledge base is expected in. */
import { sql } from 'kysely';
import type { Language } from '../analysis/language.ts';
import type { Queryable } from '../database/connection/database.ts';
import { prepareRead } from '../database/connection/prepared.ts';
import { liveKnowledgeBase, type OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { knowledgeBaseNotFound } from '../terms/errors.ts';

/** A language of a smaller share of the passages does not make the next text in it likely. */
const EXPECTED_MIN_SHARE = 0.1;

const findExpectedLanguages = prepareRead(
  'languages_of_knowledge_base',
  ['accountId', 'knowledgeBaseId'],
  (owned) => sql<{ languages: Language[] }>`
    SELECT ARRAY(
      SELECT language FROM (
        SELECT language, passage_count, sum(passage_count) OVER () AS total
        FROM language_statistics
        WHERE knowledge_base_id = ${owned.knowledgeBaseId}::uuid AND language <> 'simple') AS stemmed
      WHERE passage_count >= ${sql.lit(EXPECTED_MIN_SHARE)} * total
      ORDER BY passage_count DESC, language) AS languages
    FROM (${liveKnowledgeBase(owned)}) AS live`,
  { ids: 'knowledgeBaseId' },
);

/**
 * The languages with a stemmer that the knowledge base is mostly written in, the most frequent first.
 * @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has it.
 */
export async function readExpectedLanguages(
  database: Queryable,
  owned: OwnedKnowledgeBase,
): Promise<Language[]> {
  const [row] = await findExpectedLanguages(database, owned);
  if (row === undefined) throw knowledgeBaseNotFound();
  return row.languages;
}
