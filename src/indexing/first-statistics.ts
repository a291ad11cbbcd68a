/**
 * PostgreSQL's statistics of the documents, made once the first of them are there. To a planner without statistics two
 * indexes look alike for the check of a foreign key, and each session keeps the plan that it makes then. One of them
 * reads all documents of a knowledge base, for each passage that is stored. Autovacuum makes the statistics within a
 * minute, and sessions plan anew; but a first import of thousands of small documents takes place in that minute.
 */
import { sql } from 'kysely';
import type { Database } from '../database/connection/database.ts';
import { isDistributed } from '../database/distribution/distribution.ts';

/** By then the index of the right order is cheaper to the planner. Autovacuum takes no fewer than 50. */
const DOCUMENTS_MIN = 100;

/**
 * Makes the statistics if there are none and DOCUMENTS_MIN documents. A role that does not own the table may not make
 * any, and on Citus each shard has its own.
 * @returns whether there is nothing to make any more
 */
export async function makeFirstStatistics(database: Database): Promise<boolean> {
  if (await isDistributed(database)) return true;
  const { rows } = await sql<{ isMade: boolean; isDue: boolean }>`
    SELECT reltuples >= 0 OR NOT pg_has_role(relowner, 'USAGE') AS "isMade",
      EXISTS (SELECT FROM documents OFFSET ${sql.lit(DOCUMENTS_MIN - 1)}) AS "isDue"
    FROM pg_class WHERE oid = 'documents'::regclass`.execute(database);
  const { isMade = true, isDue = false } = rows[0] ?? {};
  if (!isMade && isDue) await sql`ANALYZE documents`.execute(database);
  return isMade || isDue;
}
