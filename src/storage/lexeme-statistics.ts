/**
 * In how many passages of a knowledge base each lexeme occurs, exactly, at any moment: the merged counts, plus what
 * imports and deletions have changed since. A change is one row, written in the transaction that makes it; a worker
 * merges them, so that imports neither wait for one another nor pay for thousands of counters.
 */
import { type RawBuilder, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { ScopedId } from '../ids.ts';
import type { Database, Queryable } from './database.ts';
import { scopeMark } from './scope-mark.ts';

type Owned = ScopedId & { accountId: string };

/**
 * The INSERT that counts a document's lexemes in, of placeholders: for the new change's id, and for JSON of an object
 * from lexeme to its number of passages (see `toBinaryJson`).
 */
export const addLexemes = (
  values: Record<'knowledgeBaseId' | 'accountId' | 'changeId' | 'lexemeCounts', RawBuilder<unknown>>,
) => sql`
  INSERT INTO lexeme_changes (knowledge_base_id, id, account_id, passage_counts)
  VALUES (${values.knowledgeBaseId}::uuid, ${values.changeId}::uuid, ${values.accountId}::uuid,
    ${values.lexemeCounts}::jsonb)`;

/** JSON text as `jsonb_recv` reads it: the format's version, 1, and the text (PostgreSQL source, jsonb.c). */
export const toBinaryJson = (text: Uint8Array): Buffer => Buffer.concat([Buffer.of(1), text]);

/** Counts a document's lexemes out, as its passages still have them; passages of signs only have none. */
export async function removeLexemes(transaction: Queryable, document: Owned): Promise<void> {
  await sql`
    INSERT INTO lexeme_changes (knowledge_base_id, id, account_id, passage_counts)
    SELECT ${document.knowledgeBaseId}, ${uuidv7()}, ${document.accountId}, jsonb_object_agg(lexeme, -passage_count)
    FROM (
      SELECT entry.lexeme, count(*) AS passage_count FROM passage_lexemes, unnest(lexemes) AS entry
      WHERE knowledge_base_id = ${document.knowledgeBaseId} AND document_id = ${document.id}
        AND entry.lexeme <> ${scopeMark(document.knowledgeBaseId)}
      GROUP BY entry.lexeme) AS gone
    HAVING count(*) > 0`.execute(transaction);
}

/** One at a time changes what is merged of a knowledge base; the others wait, or find something else to do. */
const lockName = (knowledgeBaseId: string) => sql`hashtextextended(${`lexemes of ${knowledgeBaseId}`}, 0)`;

/** Keeps the lexemes of a knowledge base from being merged until the transaction ends. */
export async function lockLexemes(transaction: Queryable, knowledgeBaseId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${lockName(knowledgeBaseId)})`.execute(transaction);
}

/** Removes the changes of a knowledge base that is to be purged; from then on no merge can write anything for it. */
export async function dropLexemeChanges(database: Database, knowledgeBaseId: string): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await lockLexemes(transaction, knowledgeBaseId);
    await transaction.deleteFrom('lexeme_changes').where('knowledge_base_id', '=', knowledgeBaseId).execute();
  });
}

/** Changes that one merge takes at most: seconds of work. */
const CHANGES_PER_MERGE = 500;

/** Adds changes to the merged counts. A count may be below 0 until the change that it came before is merged too. */
async function mergeChanges(transaction: Queryable, knowledgeBaseId: string, ids: string[]): Promise<void> {
  await sql`
    MERGE INTO lexeme_statistics AS counted USING (
      SELECT account_id, key COLLATE "C" AS lexeme, sum(value::bigint)::bigint AS change
      FROM lexeme_changes, jsonb_each_text(passage_counts)
      WHERE knowledge_base_id = ${knowledgeBaseId} AND id = ANY(${ids}::uuid[])
      GROUP BY account_id, key HAVING sum(value::bigint) <> 0 ORDER BY lexeme) AS changed
    ON counted.knowledge_base_id = ${knowledgeBaseId} AND counted.lexeme = changed.lexeme
    WHEN MATCHED AND counted.passage_count + change = 0 THEN DELETE
    WHEN MATCHED THEN UPDATE SET passage_count = counted.passage_count + change
    WHEN NOT MATCHED THEN INSERT (knowledge_base_id, account_id, lexeme, passage_count)
      VALUES (${knowledgeBaseId}, changed.account_id, changed.lexeme, change)`.execute(transaction);
  await transaction
    .deleteFrom('lexeme_changes')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', 'in', ids)
    .execute();
}

/** Merges the oldest changes of one knowledge base, unless somebody else is at it; gives how many. */
async function mergeSome(database: Database, knowledgeBaseId: string): Promise<number> {
  return await database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ locked: boolean }>`
      SELECT pg_try_advisory_xact_lock(${lockName(knowledgeBaseId)}) AS locked`.execute(transaction);
    if (!rows[0]?.locked) return 0;
    const changes = await transaction
      .selectFrom('lexeme_changes')
      .select('id')
      .where('knowledge_base_id', '=', knowledgeBaseId)
      .orderBy('id')
      .limit(CHANGES_PER_MERGE)
      .execute();
    if (changes.length > 0) {
      await mergeChanges(
        transaction,
        knowledgeBaseId,
        changes.map(({ id }) => id),
      );
    }
    return changes.length;
  });
}

/** Merges all changes that are there, of every knowledge base; any number of servers may do so at once. */
export async function mergeLexemeChanges(database: Database): Promise<void> {
  const changed = await database
    .selectFrom('lexeme_changes')
    .select('knowledge_base_id')
    .distinct()
    .execute();
  for (const { knowledge_base_id } of changed) {
    let merged: number;
    do merged = await mergeSome(database, knowledge_base_id);
    while (merged === CHANGES_PER_MERGE);
  }
}
