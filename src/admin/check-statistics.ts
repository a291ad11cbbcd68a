/**
 * Recounts a knowledge base: lists each difference between its counters and its rows, and each faulty vector, and
 * corrects them.
 */
import { type RawBuilder, sql } from 'kysely';
import { knowledgeBaseLexeme } from '../analysis/reserved-lexemes.ts';
import type { Database, Queryable } from '../database/connection/database.ts';
import { recordStorage } from '../database/distribution/recorded-storage.ts';
import { readGenerations } from '../database/rows/vector-generations.ts';
import { lockMergedCounts } from '../indexing/postings/document-frequencies.ts';
import { paddedDimensions } from '../meaning/model/model-space.ts';
import { BITS, DIMENSIONS, WORD_VECTORS_GENERATION } from '../meaning/passage-vectors.ts';

/** `stored`: the value of a counter or row; `counted`: the recounted value. null: there is none. */
type Difference = { what: string; stored: number | null; counted: number | null };

const toLine = ({ what, stored, counted }: Difference): string =>
  `${what}: says ${stored ?? 'nothing'}, counted ${counted ?? 'nothing'}`;

/** Selects the lexemes of the passages, each with the number of passages that contain it. */
const countLexemes = (knowledgeBaseId: string) => sql`
  SELECT entry.lexeme COLLATE "C" AS lexeme, count(*) AS counted FROM passage_lexemes, unnest(lexemes) AS entry
  WHERE knowledge_base_id = ${knowledgeBaseId} AND entry.lexeme <> ${knowledgeBaseLexeme(knowledgeBaseId)}
  GROUP BY entry.lexeme`;

const countLanguages = (knowledgeBaseId: string) => sql`
  SELECT language, count(*) AS counted FROM passages WHERE knowledge_base_id = ${knowledgeBaseId} GROUP BY language`;

/**
 * `lengths`: the bits that the vectors of each generation have (see `packVector`). `made`: the generation of a model
 * that is both wanted and current; NO_GENERATION without one.
 */
type Vectors = { lengths: { generation: number; bits: number }[]; made: number };

const NO_GENERATION = -1;

/** Read before the knowledge base: on Citus, one is in a shard, and the generations are not. */
async function readVectors(database: Queryable): Promise<Vectors> {
  const models = await database
    .selectFrom('vector_generations')
    .select(['generation', 'dimensions'])
    .execute();
  const { current, wanted } = await readGenerations(database);
  const made = current?.generation === wanted?.generation ? current?.generation : undefined;
  const lengths = [
    { generation: WORD_VECTORS_GENERATION, bits: BITS * DIMENSIONS },
    ...models.map(({ generation, dimensions }) => ({
      generation,
      bits: BITS * paddedDimensions(dimensions),
    })),
  ];
  return { lengths, made: made ?? NO_GENERATION };
}

/**
 * Selects the vectors that belong to no passage, or have a wrong number of bits. That a passage has no two of one
 * generation is the table's primary key.
 */
const findFaultyVectors = (knowledgeBaseId: string, { lengths }: Vectors) => sql`
  SELECT document_id, position, generation, fault
  FROM passage_vectors AS vectors
    LEFT JOIN passages USING (knowledge_base_id, document_id, position),
    LATERAL (SELECT CASE
      WHEN passages.document_id IS NULL THEN 'of no passage'
      WHEN length(vector) <> CASE generation ${sql.join(
        lengths.map(({ generation, bits }) => sql`WHEN ${sql.lit(generation)} THEN ${sql.lit(bits)}`),
        sql` `,
      )} END
      THEN 'of a wrong length' END AS fault) AS found
  WHERE knowledge_base_id = ${knowledgeBaseId} AND fault IS NOT NULL`;

/**
 * Selects the documents some of whose passages lack vectors of the current model, though others have them. Those that
 * wait for theirs are no fault. A job looks at the last passage of a document only.
 */
const findHalfWithoutVectors = (knowledgeBaseId: string, { made }: Vectors) => sql`
  SELECT passages.document_id, passages.account_id, count(*) - count(vectors.position) AS missing
  FROM passages LEFT JOIN passage_vectors AS vectors
    ON vectors.knowledge_base_id = passages.knowledge_base_id AND vectors.document_id = passages.document_id
      AND vectors.position = passages.position AND vectors.generation = ${sql.lit(made)}
  WHERE passages.knowledge_base_id = ${knowledgeBaseId} AND passages.document_id NOT IN (
    SELECT document_id FROM documents_without_vectors WHERE knowledge_base_id = ${knowledgeBaseId})
  GROUP BY passages.document_id, passages.account_id
  HAVING count(vectors.position) BETWEEN 1 AND count(*) - 1`;

/** Each check selects `what`, `stored` and `counted` if the two numbers differ; ten lexemes at most. */
const CHECKS: ((knowledgeBaseId: string, vectors: Vectors) => RawBuilder<Difference>)[] = [
  (id) => sql`
    SELECT * FROM (SELECT
        (SELECT count(*) FROM documents WHERE knowledge_base_id = ${id}) AS documents,
        (SELECT coalesce(sum(storage_bytes), 0)::bigint FROM documents WHERE knowledge_base_id = ${id}) AS bytes,
        (SELECT count(*) FROM passage_lexemes WHERE knowledge_base_id = ${id}) AS passages,
        (SELECT coalesce(sum(length), 0)::bigint FROM passage_lexemes WHERE knowledge_base_id = ${id}) AS length
      ) AS recount,
      LATERAL (SELECT * FROM knowledge_base_statistics WHERE knowledge_base_id = ${id}) AS counters,
      LATERAL (VALUES ('document_count', document_count, documents), ('storage_bytes', storage_bytes, bytes),
        ('passage_count', passage_count, passages), ('passage_length_total', passage_length_total, length)
      ) AS compared (what, stored, counted)
    WHERE stored <> counted`,
  (id) => sql`
    SELECT 'passages of document ' || documents.id || ' in ' || table_name AS what, passage_count AS stored, counted
    FROM documents
      LEFT JOIN (SELECT document_id, count(*) AS texts FROM passages
        WHERE knowledge_base_id = ${id} GROUP BY document_id) AS shown ON shown.document_id = documents.id
      LEFT JOIN (SELECT document_id, count(*) AS indexed FROM passage_lexemes
        WHERE knowledge_base_id = ${id} GROUP BY document_id) AS scored ON scored.document_id = documents.id,
      LATERAL (VALUES ('passages', coalesce(texts, 0)), ('passage_lexemes', coalesce(indexed, 0))
      ) AS counts (table_name, counted)
    WHERE knowledge_base_id = ${id} AND passage_count <> counted`,
  (id) => sql`
    SELECT 'passages in ' || language AS what, passage_count AS stored, counted
    FROM (SELECT language, passage_count FROM language_statistics WHERE knowledge_base_id = ${id}) AS counters
      FULL JOIN (${countLanguages(id)}) AS recount USING (language)
    WHERE passage_count IS DISTINCT FROM counted`,
  (id) => sql`
    SELECT 'passages with the lexeme ' || quote_literal(lexeme) AS what, stored, counted
    FROM (SELECT lexeme, sum(passage_count)::bigint AS stored FROM (
        SELECT lexeme, passage_count FROM document_frequencies WHERE knowledge_base_id = ${id}
        UNION ALL
        SELECT key COLLATE "C", value::bigint FROM document_frequency_deltas, jsonb_each_text(passage_counts)
        WHERE knowledge_base_id = ${id}) AS counts
      GROUP BY lexeme HAVING sum(passage_count) <> 0) AS counters
      FULL JOIN (${countLexemes(id)}) AS recount USING (lexeme)
    WHERE stored IS DISTINCT FROM counted ORDER BY lexeme LIMIT 10`,
  (id) => sql`
    SELECT 'documents of file ' || coalesce(files.id, documents.file_id) AS what,
      (documents.id IS NOT NULL)::integer AS stored, (files.id IS NOT NULL)::integer AS counted
    FROM (SELECT * FROM documents WHERE knowledge_base_id = ${id} AND file_id IS NOT NULL) AS documents
      FULL JOIN (SELECT * FROM files WHERE knowledge_base_id = ${id} AND document_id IS NOT NULL) AS files
        ON files.id = documents.file_id AND files.document_id = documents.id
    WHERE documents.id IS NULL OR files.id IS NULL`,
  (id) => sql`
    SELECT 'rows of another account in ' || table_name AS what, 0 AS stored, counted
    FROM knowledge_bases AS owner,
      LATERAL (VALUES
        ('documents', (SELECT count(*) FROM documents
          WHERE knowledge_base_id = ${id} AND account_id <> owner.account_id)),
        ('files', (SELECT count(*) FROM files WHERE knowledge_base_id = ${id} AND account_id <> owner.account_id)),
        ('passages', (SELECT count(*) FROM passages
          WHERE knowledge_base_id = ${id} AND account_id <> owner.account_id)),
        ('passage_lexemes', (SELECT count(*) FROM passage_lexemes
          WHERE knowledge_base_id = ${id} AND account_id <> owner.account_id)),
        ('passage_vectors', (SELECT count(*) FROM passage_vectors
          WHERE knowledge_base_id = ${id} AND account_id <> owner.account_id)),
        ('documents_without_vectors', (SELECT count(*) FROM documents_without_vectors
          WHERE knowledge_base_id = ${id} AND account_id <> owner.account_id))) AS counts (table_name, counted)
    WHERE knowledge_base_id = ${id} AND counted > 0`,
  (id, vectors) => sql`
    SELECT 'vectors of document ' || document_id || ' that are ' || fault AS what, 0 AS stored, count(*) AS counted
    FROM (${findFaultyVectors(id, vectors)}) AS faulty GROUP BY document_id, fault ORDER BY document_id LIMIT 10`,
  (id, vectors) => sql`
    SELECT 'vectors of document ' || document_id || ' that are missing' AS what, 0 AS stored, missing AS counted
    FROM (${findHalfWithoutVectors(id, vectors)}) AS half ORDER BY document_id LIMIT 10`,
];

async function findDifferences(
  transaction: Queryable,
  knowledgeBaseId: string,
  vectors: Vectors,
): Promise<string[]> {
  const lines: string[] = [];
  for (const check of CHECKS) {
    const { rows } = await check(knowledgeBaseId, vectors).execute(transaction);
    lines.push(...rows.map(toLine));
  }
  return lines;
}

/** Lists the inconsistencies of a knowledge base, one a line, from one snapshot; the service may run meanwhile. */
export async function checkStatistics(database: Database, knowledgeBaseId: string): Promise<string[]> {
  const vectors = await readVectors(database);
  return await database
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((transaction) => findDifferences(transaction, knowledgeBaseId, vectors));
}

/**
 * Statements that set counters to their recount, and delete faulty vectors. A job makes those that are missing: it
 * looks for documents without their last one, and the others are put into its queue.
 */
const REPAIRS: ((knowledgeBaseId: string, vectors: Vectors) => RawBuilder<unknown>)[] = [
  (id, vectors) => sql`
    DELETE FROM passage_vectors USING (${findFaultyVectors(id, vectors)}) AS faulty
    WHERE knowledge_base_id = ${id} AND passage_vectors.document_id = faulty.document_id
      AND passage_vectors.position = faulty.position AND passage_vectors.generation = faulty.generation`,
  (id, vectors) => sql`
    INSERT INTO documents_without_vectors
      (knowledge_base_id, document_id, account_id, generation, queued_at, due_at)
    SELECT ${id}, document_id, account_id, ${sql.lit(vectors.made)}, now(), now()
    FROM (${findHalfWithoutVectors(id, vectors)}) AS half
    ON CONFLICT DO NOTHING`,
  (id) => sql`
    UPDATE documents SET passage_count = (SELECT count(*) FROM passage_lexemes
      WHERE knowledge_base_id = ${id} AND document_id = documents.id)
    WHERE knowledge_base_id = ${id} AND status = 'processed'`,
  (id) => sql`DELETE FROM language_statistics WHERE knowledge_base_id = ${id}`,
  (id) => sql`
    INSERT INTO language_statistics (knowledge_base_id, account_id, language, passage_count)
    SELECT ${id}, account_id, language, counted FROM (${countLanguages(id)}) AS recount, knowledge_bases
    WHERE knowledge_base_id = ${id}`,
  (id) => sql`DELETE FROM document_frequency_deltas WHERE knowledge_base_id = ${id}`,
  (id) => sql`DELETE FROM document_frequencies WHERE knowledge_base_id = ${id}`,
  (id) => sql`
    INSERT INTO document_frequencies (knowledge_base_id, account_id, lexeme, passage_count)
    SELECT ${id}, account_id, lexeme, counted FROM (${countLexemes(id)}) AS recount, knowledge_bases
    WHERE knowledge_base_id = ${id}`,
  (id) => sql`
    UPDATE knowledge_base_statistics SET (document_count, storage_bytes) =
        (SELECT count(*), coalesce(sum(storage_bytes), 0) FROM documents WHERE knowledge_base_id = ${id}),
      (passage_count, passage_length_total) =
        (SELECT count(*), coalesce(sum(length), 0) FROM passage_lexemes WHERE knowledge_base_id = ${id}),
      (distinct_lexemes, merged_lexemes) =
        (SELECT count(*), 0 FROM document_frequencies WHERE knowledge_base_id = ${id})
    WHERE knowledge_base_id = ${id}`,
];

/** Sets all counters of a knowledge base to a recount, under a lock against changes; returns the remaining problems. */
export async function repairStatistics(database: Database, knowledgeBaseId: string): Promise<string[]> {
  const vectors = await readVectors(database);
  const differences = await database.transaction().execute(async (transaction) => {
    // Imports and deletions hold this lock FOR KEY SHARE: this waits for running ones, and delays new ones.
    await sql`SELECT 1 FROM knowledge_bases WHERE knowledge_base_id = ${knowledgeBaseId} FOR UPDATE`.execute(
      transaction,
    );
    await lockMergedCounts(transaction, knowledgeBaseId);
    for (const repair of REPAIRS) await repair(knowledgeBaseId, vectors).execute(transaction);
    return await findDifferences(transaction, knowledgeBaseId, vectors);
  });
  await recordStorage(database, knowledgeBaseId);
  return differences;
}
