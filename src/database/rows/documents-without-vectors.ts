/**
 * The queue of the documents whose passages are to get vectors of the wanted model. An import puts its document there,
 * in its own transaction; so does a new title, which takes the vectors away. One worker at a time takes documents from
 * it, and writes vectors from the first passage to the last. A row says how far it has got:
 *
 *   waits      after_position 0; due_at is past
 *   is tried   its passages up to after_position have vectors, or the model has refused them
 *   is left    tries > 0: the model refused some passages. It is due again after a day
 *
 * Without a row, a document has all vectors of the wanted generation; or a server of an earlier version has imported
 * it, or another model is wanted since. A worker looks for such documents (indexing/missing-vectors.ts). It takes the
 * row of a former generation for one of the wanted generation.
 */
import { type RawBuilder, sql } from 'kysely';
import type { OwnedId, ScopedId } from '../../terms/ids.ts';
import type { Queryable } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';
import type { OwnedKnowledgeBase } from './knowledge-bases.ts';
import { wantedGeneration } from './vector-generations.ts';

/**
 * SQL that puts documents of a knowledge base into the queue, if a model is wanted: the documents whose first passage
 * is among the new passages, given as the ordinals of their texts and their positions. `ids`: of the texts. Not on
 * Citus, where no model is used.
 */
export const enqueueStored = ({
  knowledgeBaseId,
  accountId,
  ids,
  text,
  position,
}: Record<keyof OwnedKnowledgeBase | 'ids' | 'text' | 'position', RawBuilder<unknown>>) => sql`
  INSERT INTO documents_without_vectors
    (knowledge_base_id, document_id, account_id, generation, queued_at, due_at)
  SELECT ${knowledgeBaseId}::uuid, (${ids}::uuid[])[text], ${accountId}::uuid, generation, now(), now()
  FROM ${wantedGeneration} AS wanted,
    unnest(${text}::integer[], ${position}::integer[]) AS passage (text, position)
  WHERE position = 1
  ON CONFLICT (knowledge_base_id, document_id) DO UPDATE SET generation = excluded.generation, after_position = 0,
    tries = 0, queued_at = excluded.queued_at, due_at = excluded.due_at`;

/** The documents must not vanish before the foreign key is checked. A locked one is being changed, or deleted. */
const enqueue = prepare(
  'enqueue_without_vectors',
  ['knowledgeBaseIds', 'ids', 'generation'],
  ({ knowledgeBaseIds, ids, generation }) => sql`
    INSERT INTO documents_without_vectors
      (knowledge_base_id, document_id, account_id, generation, queued_at, due_at)
    SELECT knowledge_base_id, id, account_id, ${generation}::smallint, now(), now()
    FROM documents WHERE (knowledge_base_id, id) IN (
      SELECT * FROM unnest(${knowledgeBaseIds}::uuid[], ${ids}::uuid[]))
    FOR KEY SHARE SKIP LOCKED
    ON CONFLICT DO NOTHING`,
);

const toColumns = (documents: readonly ScopedId[]) => ({
  knowledgeBaseIds: documents.map(({ knowledgeBaseId }) => knowledgeBaseId),
  ids: documents.map(({ id }) => id),
});

/** Puts documents into the queue that are not there. */
export async function enqueueDocuments(
  database: Queryable,
  documents: readonly ScopedId[],
  generation: number,
): Promise<void> {
  if (documents.length > 0) await enqueue(database, { ...toColumns(documents), generation });
}

/** A document of the next round: after which of its passages it goes on, for which generation. */
export type TakenDocument = OwnedId & { afterPosition: number; generation: number };

/** The index has the accounts in their order: that a million documents of one account wait costs nothing. */
const takeRound = prepare(
  'take_documents_without_vectors',
  ['after', 'accounts', 'documents'],
  ({ after, accounts, documents }) => sql<TakenDocument>`
    WITH RECURSIVE next (account_id, nth) AS (
      (SELECT account_id, 1 FROM documents_without_vectors
        WHERE account_id > ${after}::uuid AND due_at <= now() ORDER BY account_id LIMIT 1)
      UNION ALL
      (SELECT waiting.account_id, nth + 1 FROM next, LATERAL (
          SELECT account_id FROM documents_without_vectors
          WHERE account_id > next.account_id AND due_at <= now() ORDER BY account_id LIMIT 1) AS waiting
        WHERE nth < ${accounts}::integer))
    SELECT knowledge_base_id AS "knowledgeBaseId", document_id AS id, account_id AS "accountId",
      after_position AS "afterPosition", generation
    FROM next, LATERAL (
      SELECT knowledge_base_id, document_id, after_position, generation, due_at FROM documents_without_vectors
      WHERE documents_without_vectors.account_id = next.account_id AND due_at <= now()
      ORDER BY due_at LIMIT ${documents}::integer) AS waiting
    ORDER BY nth, due_at`,
);

/**
 * Waits for no row: a transaction that deletes several documents may hold one of these, and want another. A locked row
 * is adopted when its document is taken the next time.
 */
const adopt = prepare(
  'adopt_without_vectors',
  ['knowledgeBaseIds', 'ids', 'generation'],
  ({ knowledgeBaseIds, ids, generation }) => sql`
    UPDATE documents_without_vectors SET generation = ${generation}::smallint, after_position = 0, tries = 0
    WHERE (knowledge_base_id, document_id) IN (
      SELECT knowledge_base_id, document_id FROM documents_without_vectors
      WHERE (knowledge_base_id, document_id) IN (
          SELECT * FROM unnest(${knowledgeBaseIds}::uuid[], ${ids}::uuid[]))
        AND generation <> ${generation}::smallint
      FOR UPDATE SKIP LOCKED)`,
);

/**
 * Takes documents that are due, for a generation: at most `documents` of each of `accounts` accounts after the account
 * `after`, in the order of their ids. The documents stay in the queue. There may be only one worker.
 */
export async function takeDocuments(
  database: Queryable,
  generation: number,
  round: { after: string; accounts: number; documents: number },
): Promise<TakenDocument[]> {
  const taken = await takeRound(database, round);
  const former = taken.filter((document) => document.generation !== generation);
  if (former.length === 0) return taken;
  await adopt(database, { ...toColumns(former), generation });
  return taken.map((document) =>
    document.generation === generation ? document : { ...document, generation, afterPosition: 0 },
  );
}

const move = prepare(
  'move_without_vectors',
  ['knowledgeBaseId', 'id', 'generation', 'position'],
  ({ knowledgeBaseId, id, generation, position }) => sql`
    UPDATE documents_without_vectors SET after_position = ${position}::integer
    WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND document_id = ${id}::uuid
      AND generation = ${generation}::smallint`,
);

/** A document that the model has refused in part is tried again after this time. */
const REFUSED_AGAIN_SECONDS = 86_400;

const finish = prepare(
  'finish_without_vectors',
  ['knowledgeBaseId', 'id', 'generation'],
  ({ knowledgeBaseId, id, generation }) => {
    const isIt = sql`documents_without_vectors.knowledge_base_id = ${knowledgeBaseId}::uuid
      AND document_id = ${id}::uuid AND generation = ${generation}::smallint`;
    return sql`
      WITH rest AS MATERIALIZED (
        SELECT EXISTS (
          SELECT FROM passages
          WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND document_id = ${id}::uuid AND NOT EXISTS (
            SELECT FROM passage_vectors AS vectors
            WHERE vectors.knowledge_base_id = ${knowledgeBaseId}::uuid AND vectors.document_id = ${id}::uuid
              AND vectors.position = passages.position AND vectors.generation = ${generation}::smallint)) AS is_left),
      done AS (DELETE FROM documents_without_vectors USING rest WHERE ${isIt} AND NOT is_left)
      UPDATE documents_without_vectors SET after_position = 0, tries = tries + 1,
        due_at = now() + make_interval(secs => ${sql.lit(REFUSED_AGAIN_SECONDS)})
      FROM rest WHERE ${isIt} AND is_left`;
  },
);

/** How far a worker has got with a document. */
export type Progress = { generation: number; position: number; isLast: boolean };

/** Records this in the transaction that writes the vectors. After the last passage, the document leaves the queue. */
export async function recordProgress(
  transaction: Queryable,
  { knowledgeBaseId, id }: ScopedId,
  { generation, position, isLast }: Progress,
): Promise<void> {
  if (isLast) await finish(transaction, { knowledgeBaseId, id, generation });
  else await move(transaction, { knowledgeBaseId, id, generation, position });
}

/** Lets documents wait: others of their accounts come first. */
export async function postponeDocuments(
  database: Queryable,
  documents: readonly ScopedId[],
  seconds: number,
): Promise<void> {
  const { knowledgeBaseIds, ids } = toColumns(documents);
  if (documents.length > 0)
    await sql`
      UPDATE documents_without_vectors SET due_at = now() + make_interval(secs => ${seconds})
      WHERE (knowledge_base_id, document_id) IN (
        SELECT * FROM unnest(${knowledgeBaseIds}::uuid[], ${ids}::uuid[]))`.execute(database);
}

const countOfGeneration = prepare(
  'count_vectors',
  ['knowledgeBaseId', 'id', 'generation'],
  ({ knowledgeBaseId, id, generation }) => sql<{ count: number }>`
    SELECT count(*) AS count FROM passage_vectors
    WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND document_id = ${id}::uuid
      AND generation = ${generation}::smallint`,
);

/** How many passages of a document have vectors of a generation: 2 ms for one with 10,000. */
export async function countVectors(
  database: Queryable,
  { knowledgeBaseId, id }: ScopedId,
  generation: number,
): Promise<number> {
  const [row] = await countOfGeneration(database, { knowledgeBaseId, id, generation });
  return row?.count ?? 0;
}

/** How many documents are in the queue, of all accounts. */
export async function countWithoutVectors(database: Queryable): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`SELECT count(*) AS count FROM documents_without_vectors`.execute(database);
  return rows[0]?.count ?? 0;
}
