/** Brings a database to the schema that this version needs. */
import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, type MigrationResultSet, Migrator } from 'kysely/migration';
import { createDatabase, type Database } from '../connection/database.ts';
import { type Connection, createMaintenancePool } from '../connection/pool.ts';
import { requireUsableDatabase } from '../connection/usable-database.ts';
import { updateDistribution } from '../distribution/distribution.ts';
import * as initial from './0.1/0001-initial.ts';
import * as firstAnswers from './0.1/0002-first-answers.ts';
import * as requestCounts from './0.1/0003-request-counts.ts';
import * as roomForCounts from './0.1/0004-room-for-counts.ts';
import * as documentTypes from './0.1/0005-document-types.ts';
import * as reservedUntil from './0.1/0006-reserved-until.ts';
import * as processingSince from './0.1/0007-processing-since.ts';
import * as distinctLexemes from './0.1/0008-distinct-lexemes.ts';
import * as fieldNames from './0.1/0009-field-names.ts';
import * as attributes from './0.2/0010-attributes.ts';
import * as documentsNotProcessed from './0.2/0011-documents-not-processed.ts';
import * as lexemeEndings from './0.2/0012-lexeme-endings.ts';
import * as keyScopes from './0.2/0013-key-scopes.ts';
import * as queuedAt from './0.2/0014-queued-at.ts';
import * as webhooks from './0.2/0015-webhooks.ts';
import * as externalIds from './0.2/0016-external-ids.ts';
import * as leasedRequests from './0.2/0017-leased-requests.ts';
import * as accountFrequencies from './0.2/0018-account-frequencies.ts';
import * as jobs from './0.3/0019-jobs.ts';
import * as warningsWithCodes from './0.3/0020-warnings-with-codes.ts';
import * as passageTimes from './0.3/0021-passage-times.ts';
import * as synonyms from './0.3/0022-synonyms.ts';
import * as laterStarts from './0.3/0023-later-starts.ts';
import * as passageVectors from './0.3/0024-passage-vectors.ts';
import * as vectorGenerations from './0.3/0025-vector-generations.ts';
import * as documentAddresses from './0.3/0026-document-addresses.ts';
import * as recognisedPages from './0.3/0027-recognised-pages.ts';
import * as smallJobs from './0.3/0028-small-jobs.ts';
import * as indexUpkeep from './0.3/0029-index-upkeep.ts';
import * as endedSessions from './0.3/0030-ended-sessions.ts';
import * as keptQueries from './0.3/0031-kept-queries.ts';
import * as keyFilters from './0.3/0032-key-filters.ts';
import { claimSchema, explainTaken } from './claim-schema.ts';

/** In the order of their names. A released migration is never edited. */
const migrations: Record<string, Migration> = {
  '0001-initial': initial,
  '0002-first-answers': firstAnswers,
  '0003-request-counts': requestCounts,
  '0004-room-for-counts': roomForCounts,
  '0005-document-types': documentTypes,
  '0006-reserved-until': reservedUntil,
  '0007-processing-since': processingSince,
  '0008-distinct-lexemes': distinctLexemes,
  '0009-field-names': fieldNames,
  '0010-attributes': attributes,
  '0011-documents-not-processed': documentsNotProcessed,
  '0012-lexeme-endings': lexemeEndings,
  '0013-key-scopes': keyScopes,
  '0014-queued-at': queuedAt,
  '0015-webhooks': webhooks,
  '0016-external-ids': externalIds,
  '0017-leased-requests': leasedRequests,
  '0018-account-frequencies': accountFrequencies,
  '0019-jobs': jobs,
  '0020-warnings-with-codes': warningsWithCodes,
  '0021-passage-times': passageTimes,
  '0022-synonyms': synonyms,
  '0023-later-starts': laterStarts,
  '0024-passage-vectors': passageVectors,
  '0025-vector-generations': vectorGenerations,
  '0026-document-addresses': documentAddresses,
  '0027-recognised-pages': recognisedPages,
  '0028-small-jobs': smallJobs,
  '0029-index-upkeep': indexUpkeep,
  '0030-ended-sessions': endedSessions,
  '0031-kept-queries': keptQueries,
  '0032-key-filters': keyFilters,
};

/**
 * Runs all migrations that `database` lacks, in one transaction, after a check that the service can work on it.
 * Several servers may start at once: Kysely takes an advisory lock, the others wait and then find nothing to do.
 * @returns the names of the migrations that ran.
 * @throws why the database cannot be used, or the error of the failed migration; nothing of it remains.
 */
export async function migrateToLatest(database: Database): Promise<string[]> {
  const ran = await migrate(database, (migrator) => migrator.migrateToLatest());
  await updateDistribution(database);
  return ran;
}

/** The same up to the migration of this name, for tests of data stored under an older schema. */
export const migrateUpTo = <DB>(database: Kysely<DB>, name: string): Promise<string[]> =>
  migrate(database, (migrator) => migrator.migrateTo(name));

async function migrate<DB>(
  database: Kysely<DB>,
  act: (migrator: Migrator) => Promise<MigrationResultSet>,
): Promise<string[]> {
  await requireUsableDatabase(database);
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => migrations },
    migrationTableSchema: await claimSchema(database),
  });
  const { error, results = [] } = await act(migrator);
  if (error === undefined) return results.map(({ migrationName }) => migrationName);
  const { done, unknown } = await compareMigrations(database);
  if (unknown.length === 0) throw explainTaken(error, done.length > 0);
  // Servers of both versions may run on it meanwhile, but this version cannot know whether the schema still fits.
  throw new Error(
    `A newer version has changed the database (${unknown}): start that version, or restore a backup from before.`,
    { cause: error },
  );
}

/**
 * Lists the migrations of `database` that are done, pending, and unknown to this version, in the order of their names.
 * Changes nothing.
 */
export async function compareMigrations<DB>(
  database: Kysely<DB>,
): Promise<{ done: string[]; pending: string[]; unknown: string[] }> {
  const { rows: tables } = await sql<{ there: boolean }>`
    SELECT to_regclass(${DEFAULT_MIGRATION_TABLE}) IS NOT NULL AS there`.execute(database);
  const { rows } =
    tables[0]?.there === true
      ? await sql<{ name: string }>`
        SELECT name FROM ${sql.table(DEFAULT_MIGRATION_TABLE)} ORDER BY name`.execute(database)
      : { rows: [] };
  const done = rows.map(({ name }) => name);
  return {
    done,
    pending: Object.keys(migrations).filter((name) => !done.includes(name)),
    unknown: unknownOf(done),
  };
}

/** Filters the migrations that are unknown to this version. */
export const unknownOf = (names: string[]): string[] =>
  names.filter((name) => !Object.hasOwn(migrations, name));

/** Migrates over its own connections without a statement time-out; results and errors as in `migrateToLatest`. */
export async function migrateOver(
  connection: Connection,
  onError: (error: Error) => void,
): Promise<string[]> {
  const database = createDatabase(createMaintenancePool(connection, onError));
  return await migrateToLatest(database).finally(() => database.destroy());
}
