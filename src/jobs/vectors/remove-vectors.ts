/** Removes the vectors of retired generations, in small steps that do not delay other work. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import type { Database } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';

/** The place of a vector among all others. */
type Place = { knowledgeBaseId: string; documentId: string; position: number; generation: number };

/** Vectors that one statement looks at: 10 to 40 ms where it removes all of them. */
const VECTORS_PER_STEP = 2_000;
/** It works for a quarter of the time. */
const REST_FACTOR = 3;

const isKept = sql`generation IN (SELECT generation FROM vector_generations WHERE NOT is_retired)`;

/**
 * Of the next vectors, removes the vectors of a retired generation, and returns the place of the last vector that it
 * has looked at. A locked vector is being removed by something else, with its document.
 */
const removeSome = prepare(
  'remove_retired_vectors',
  ['knowledgeBaseId', 'documentId', 'position', 'generation'],
  ({ knowledgeBaseId, documentId, position, generation }) => sql<Place & { removed: number }>`
    WITH page AS MATERIALIZED (
      SELECT knowledge_base_id, document_id, position, generation FROM passage_vectors
      WHERE (knowledge_base_id, document_id, position, generation)
        > (${knowledgeBaseId}::uuid, ${documentId}::uuid, ${position}::integer, ${generation}::smallint)
      ORDER BY knowledge_base_id, document_id, position, generation LIMIT ${sql.lit(VECTORS_PER_STEP)}),
    removed AS (
      DELETE FROM passage_vectors WHERE ctid = ANY(ARRAY(
        SELECT vectors.ctid FROM page JOIN passage_vectors AS vectors
          USING (knowledge_base_id, document_id, position, generation)
        WHERE NOT ${isKept} FOR UPDATE OF vectors SKIP LOCKED))
      RETURNING 1)
    SELECT knowledge_base_id AS "knowledgeBaseId", document_id AS "documentId", position, generation,
      (SELECT count(*) FROM removed) AS removed
    FROM page ORDER BY knowledge_base_id DESC, document_id DESC, position DESC, generation DESC LIMIT 1`,
);

/**
 * Removes all vectors of generations that are neither wanted nor current, generations of word vectors included. It may
 * be aborted at any point, and then be repeated.
 * @returns how many there were
 */
export async function removeRetiredVectors(database: Database, signal: AbortSignal): Promise<number> {
  let removed = 0;
  let last: Place | undefined = { knowledgeBaseId: NIL, documentId: NIL, position: 0, generation: 0 };
  while (last !== undefined) {
    const startedAtMs = performance.now();
    const [next]: Awaited<ReturnType<typeof removeSome>> = await removeSome(database, last);
    removed += next?.removed ?? 0;
    last = next;
    await delay((performance.now() - startedAtMs) * REST_FACTOR, undefined, { signal });
  }
  return removed;
}
