/**
 * Documents whose passages have no vectors of a generation: documents by earlier versions, also by a server of such
 * a version that runs during an upgrade, and documents from before a model was set. What is missing is found in the
 * tables alone.
 */
import { sql } from 'kysely';
import { NIL } from 'uuid';
import type { Database, Queryable } from '../database/connection/database.ts';
import { prepare } from '../database/connection/prepared.ts';
import type { OwnedId, ScopedId } from '../terms/ids.ts';

/** A document without vectors. */
export type WithoutVectors = OwnedId & { passageCount: number };

/** Documents that one statement looks at: 2 to 8 ms. */
const DOCUMENTS_PER_STATEMENT = 1_000;

/**
 * The documents after one, in the order of the primary key, and whether they lack vectors. The vector of the last
 * passage is written last, so it stands for all.
 *
 * PostgreSQL walks along the primary key of the documents, from the last one on, and looks each up in the key of
 * the vectors. As a join it would merge both keys, and read the key of the vectors from its beginning each time: 1.4 s
 * in the middle of a million documents.
 */
const lookAtDocuments = prepare(
  'look_for_missing_vectors',
  ['knowledgeBaseId', 'id', 'generation'],
  ({ knowledgeBaseId, id, generation }) => sql<WithoutVectors & { isMissing: boolean }>`
    SELECT knowledge_base_id AS "knowledgeBaseId", id, account_id AS "accountId", passage_count AS "passageCount",
      passage_count > 0 AND (
        SELECT position FROM passage_vectors AS vectors
        WHERE vectors.knowledge_base_id = documents.knowledge_base_id AND vectors.document_id = documents.id
          AND vectors.position = passage_count AND generation = ${generation}::smallint) IS NULL AS "isMissing"
    FROM documents WHERE (knowledge_base_id, id) > (${knowledgeBaseId}::uuid, ${id}::uuid)
    ORDER BY knowledge_base_id, id LIMIT ${sql.lit(DOCUMENTS_PER_STATEMENT)}`,
);

/**
 * Finds the documents whose passages have no vectors of a generation. `rest` is called after each statement, so that a
 * look at all documents leaves the database to others.
 */
export async function* findWithoutVectors(
  database: Database,
  generation: number,
  rest: (tookMs: number) => Promise<void>,
): AsyncGenerator<WithoutVectors> {
  let last: ScopedId | undefined = { knowledgeBaseId: NIL, id: NIL };
  while (last !== undefined) {
    const startedAtMs = performance.now();
    const documents: Awaited<ReturnType<typeof lookAtDocuments>> = await lookAtDocuments(database, {
      ...last,
      generation,
    });
    await rest(performance.now() - startedAtMs);
    for (const { isMissing, ...document } of documents) if (isMissing) yield document;
    last = documents.at(-1);
  }
}

const lockUnchanged = prepare(
  'lock_unchanged_document',
  ['knowledgeBaseId', 'id', 'title'],
  ({ knowledgeBaseId, id, title }) => sql`
    SELECT 1 FROM knowledge_bases JOIN documents USING (knowledge_base_id)
    WHERE knowledge_bases.knowledge_base_id = ${knowledgeBaseId}::uuid AND deleted_at IS NULL
      AND documents.knowledge_base_id = ${knowledgeBaseId}::uuid AND documents.id = ${id}::uuid
      AND title = ${title}::text
    FOR KEY SHARE OF knowledge_bases SKIP LOCKED FOR NO KEY UPDATE OF documents SKIP LOCKED`,
);

const insertVectors = prepare(
  'insert_missing_vectors',
  ['knowledgeBaseId', 'id', 'accountId', 'generation', 'position', 'vector'],
  ({ knowledgeBaseId, id, accountId, generation, position, vector }) => sql`
    INSERT INTO passage_vectors (knowledge_base_id, document_id, account_id, position, generation, vector)
    SELECT ${knowledgeBaseId}::uuid, ${id}::uuid, ${accountId}::uuid, position, ${generation}::smallint, vector
    FROM unnest(${position}::integer[], ${vector}::bit varying[]) AS passage (position, vector)
    ON CONFLICT DO NOTHING`,
);

/** Vectors of a document's passages: their positions, and the bits of each, both as binary arrays. */
export type MadeVectors = { generation: number; position: Uint8Array; vector: Uint8Array };

/**
 * Inserts vectors of the document's passages that it does not have yet, unless it has been deleted, has another title,
 * or is locked by what changes it. Never waits for a lock, and holds the document's lock for a few statements.
 * `andThen` runs in the same transaction.
 * @returns whether it may go on with the document
 */
export async function addMissingVectors(
  database: Database,
  document: OwnedId & { title: string },
  { generation, position, vector }: MadeVectors,
  andThen: (transaction: Queryable) => Promise<void> = async () => {},
): Promise<boolean> {
  return await database.transaction().execute(async (transaction) => {
    const isUnchanged = (await lockUnchanged(transaction, document)).length > 0;
    if (isUnchanged) {
      await insertVectors(transaction, { ...document, generation, position, vector });
      await andThen(transaction);
    }
    return isUnchanged;
  });
}

/** A passage without a vector, and the title of its document. Nulls: the document has no such passage. */
export type PassageWithoutVector = ScopedId & { title: string } & (
    | { position: number; headings: string[]; content: string }
    | { position: null; headings: null; content: null }
  );

/**
 * Titles come with the passages in one snapshot. A document that has another title by then has other vectors: see
 * `addMissingVectors`.
 */
const readWithout = prepare(
  'read_passages_without_vectors',
  ['knowledgeBaseIds', 'ids', 'afters', 'generation', 'limit'],
  ({ knowledgeBaseIds, ids, afters, generation, limit }) => sql<PassageWithoutVector>`
    SELECT knowledge_base_id AS "knowledgeBaseId", id, title, position, headings, content
    FROM unnest(${knowledgeBaseIds}::uuid[], ${ids}::uuid[], ${afters}::integer[]) WITH ORDINALITY
        AS given (knowledge_base_id, id, after, nth)
      JOIN documents USING (knowledge_base_id, id)
      JOIN knowledge_bases USING (knowledge_base_id)
      LEFT JOIN LATERAL (
        SELECT position, headings, content FROM passages
        WHERE passages.knowledge_base_id = given.knowledge_base_id AND document_id = given.id AND position > after
          AND NOT EXISTS (
            SELECT FROM passage_vectors AS vectors
            WHERE vectors.knowledge_base_id = given.knowledge_base_id AND vectors.document_id = given.id
              AND vectors.position = passages.position AND vectors.generation = ${generation}::smallint)
        ORDER BY position LIMIT ${limit}::integer) AS passage ON true
    WHERE deleted_at IS NULL
    ORDER BY nth, position LIMIT ${limit}::integer`,
);

/**
 * The first passages of documents, `limit` at most, that have no vectors of a generation: in the order of the
 * documents, and of each those after its `afterPosition`. A document without such a passage has one row, one that is
 * deleted none.
 */
export const readPassagesWithoutVectors = (
  database: Database,
  documents: readonly (ScopedId & { afterPosition: number })[],
  { generation, limit }: { generation: number; limit: number },
): Promise<PassageWithoutVector[]> =>
  readWithout(database, {
    knowledgeBaseIds: documents.map(({ knowledgeBaseId }) => knowledgeBaseId),
    ids: documents.map(({ id }) => id),
    afters: documents.map(({ afterPosition }) => afterPosition),
    generation,
    limit,
  });
