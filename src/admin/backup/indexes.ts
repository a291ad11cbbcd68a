/** Drops indexes and keys of empty tables before rows are copied into them, and builds them afterwards. */
import type pg from 'pg';
import type { ReportProgress } from './back-up.ts';

/** An index, or a primary, unique or foreign key; `build` and `drop` are statements. */
type Index = { name: string; drop: string; build: string };

/**
 * Memory for the build of one index, taken only as far as its rows need it; the default is 64 MB. The index of lexemes
 * collects entries in it, and adds them to the index whenever it is full (manual, "GIN Tips and Tricks").
 */
const BUILD_MEMORY = '256MB';

/** Keys come before indexes, and foreign keys at the end: each refers to the key of another table. */
const SELECT_INDEXES = `
  SELECT name, drop, build FROM (
    SELECT conname AS name, contype = 'f' AS is_foreign, true AS is_key,
      format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS build
    FROM pg_constraint WHERE conrelid = ANY($1::regclass[]) AND contype IN ('p', 'u', 'f')
    UNION ALL
    SELECT indexrelid::regclass::text, false, false, format('DROP INDEX %s', indexrelid::regclass),
      pg_get_indexdef(indexrelid)
    FROM pg_index WHERE indrelid = ANY($1::regclass[])
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
  ) AS indexes ORDER BY is_foreign, is_key DESC, name`;

/**
 * Drops all indexes, primary, unique and foreign keys of the tables.
 * @returns them, in the order in which they can be built
 */
export async function dropIndexes(client: pg.ClientBase, tables: string[]): Promise<Index[]> {
  const { rows } = await client.query<Index>(SELECT_INDEXES, [tables]);
  for (const { drop } of rows.toReversed()) await client.query(drop);
  return rows;
}

/** Builds indexes that were dropped in the same transaction. @throws where a row violates a key */
export async function buildIndexes(
  client: pg.ClientBase,
  indexes: Index[],
  report: ReportProgress,
): Promise<void> {
  await client.query(`SET LOCAL maintenance_work_mem = '${BUILD_MEMORY}'`);
  for (const [i, { name, build }] of indexes.entries()) {
    report(`${i + 1} of ${indexes.length} indexes and keys: ${name}`);
    await client.query(build);
  }
}
