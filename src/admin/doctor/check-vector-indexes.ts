/** Checks whether the nearest vectors of large knowledge bases are found by pgvector. */
import { sql } from 'kysely';
import type { Database } from '../../database/connection/database.ts';
import { isDistributed } from '../../database/distribution/distribution.ts';
import { readCurrentGeneration } from '../../database/rows/vector-generations.ts';
import { readPgvector, readUnindexed } from '../../database/vector-indexes/vector-indexes.ts';
import { COMPARED_MAX } from '../../meaning/passage-vectors.ts';
import { type Problem, reasonOf } from '../../terms/problem.ts';

const CREATE = 'run CREATE EXTENSION vector in its database, as a superuser';

/** How the database gets the index type. */
function remedyFor({ version, available }: { version: string | null; available: string | null }): string {
  if (version !== null)
    return 'Its operators for bits came with version 0.7: run ALTER EXTENSION vector UPDATE.';
  if (available !== null) return `To find all, ${CREATE}. Indexes are built in the background.`;
  return `To find all, set DATABASE_URL to a PostgreSQL that has pgvector, and ${CREATE}.`;
}

/** Whether its library is there: without it, each statement that touches the vectors would fail. */
async function checkLibrary(database: Database, schema: string): Promise<Problem[]> {
  try {
    await sql`SELECT B'1' OPERATOR(${sql.raw(schema)}.<~>) B'1'`.execute(database);
    return [];
  } catch (error) {
    const problem = `pgvector has been created, but does not run: ${reasonOf(error)}.`;
    return [
      {
        problem,
        remedy:
          'Install its package on the database server again. To do without it, ' +
          'run DROP EXTENSION vector CASCADE before ' +
          'its package is removed.',
      },
    ];
  }
}

/** Problems of the indexes of vectors by a model. */
export async function checkVectorIndexes(database: Database): Promise<Problem[]> {
  if (await isDistributed(database)) return [];
  const current = await readCurrentGeneration(database);
  if (current === undefined) return [];
  const pgvector = await readPgvector(database);
  if (pgvector.schema !== null) return await checkLibrary(database, pgvector.schema);
  const { generation } = current;
  const { length: large } = await readUnindexed(database, { generation, passagesMin: COMPARED_MAX });
  if (large === 0) return [];
  const problem =
    `In knowledge bases with more than ${COMPARED_MAX} passages, here ${large}, ` +
    `only passages with a word of the query ` +
    'are found: the database has no pgvector of version 0.7 or later.';
  return [{ isWarning: true, problem, remedy: remedyFor(pgvector) }];
}
