/** Checks a deployment, part by part, and describes its problems and their remedies. Makes no lasting change. */
import manifest from 'knowledge-retrieval/package.json' with { type: 'json' };
import type pg from 'pg';
import { withTimeout } from '../../concurrency/timeout.ts';
import { type Config, ConfigError, findMistypedSettings, readConfig } from '../../config/config.ts';
import { describeMistyped } from '../../config/setting-names.ts';
import { createDatabase, type Database } from '../../database/connection/database.ts';
import { createPool } from '../../database/connection/pool.ts';
import { hasCluster } from '../../embedded-postgres/embedded-postgres.ts';
import { findDeploymentId } from '../../serve/discovery/deployment.ts';
import { findRunningServers } from '../../serve/discovery/running-servers.ts';
import { joinDatabase } from '../../serve/open-database.ts';
import { hasStore, openFiles } from '../../serve/open-files.ts';
import { findRefusedKeys } from '../../serve/secrets/installation-key.ts';
import { createLog } from '../../telemetry/log.ts';
import { codeOf, type Problem, reasonOf } from '../../terms/problem.ts';
import {
  checkClock,
  checkConnections,
  checkDurability,
  checkKind,
  checkReach,
  checkSchema,
} from './check-database.ts';
import { checkExtraction } from './check-extraction.ts';
import { checkHosts } from './check-hosts.ts';
import { checkCredits, checkLimits } from './check-limits.ts';
import {
  checkBaseUrl,
  checkDataDirectory,
  checkOcr,
  checkProcesses,
  checkSecrets,
  checkWordVectors,
  ocrPart,
} from './check-machine.ts';
import { checkEmbeddings, checkReranker } from './check-models.ts';
import { checkReplica } from './check-replica.ts';
import { checkVectorIndexes } from './check-vector-indexes.ts';
import {
  checkFiles,
  checkJobs,
  checkOwnFiles,
  checkPublicAddress,
  checkServer,
  type Deployment,
} from './check-work.ts';

/** A part of the deployment with its problems. */
export type Finding = { part: string; problems: Problem[] };

/** A check that takes longer hangs. Each check sends one or two requests, with a time-out of their own if possible. */
const CHECK_TIMEOUT_MS = 20_000;

/** Runs one check; an error that it throws counts as a problem. */
async function runCheck(part: string, check: () => Promise<Problem[]> | Problem[]): Promise<Finding> {
  const giveUp = () => {
    throw new Error('no answer in time');
  };
  try {
    return { part, problems: await withTimeout(check(), CHECK_TIMEOUT_MS, giveUp) };
  } catch (error) {
    const problem = `This could not be checked: ${reasonOf(error)}.`;
    return { part, problems: [{ problem, remedy: 'Solve this first, and run the check again.' }] };
  }
}

/** Reads the settings, or returns all their problems. */
function readSettings(environment: NodeJS.ProcessEnv | undefined): Config | Problem[] {
  try {
    return readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [, ...lines] = error.message.split('\n');
    return lines.map((line) => ({
      problem: `${line.trim()}.`,
      remedy: 'Set it as docs/settings.md says, or leave it unset.',
    }));
  }
}

/** Warns of environment variables that resemble a setting which is not set. */
const checkNames = (environment: NodeJS.ProcessEnv | undefined): Problem[] =>
  findMistypedSettings(environment).map((mistyped) => ({
    isWarning: true,
    problem: describeMistyped(mistyped),
    remedy: `Set ${mistyped.meant}; if ${mistyped.name} belongs to another program, set it to its default.`,
  }));

/** Servers and workers that run on this DATA_DIR; 0 if it cannot be read. */
async function countServers(config: Config): Promise<number> {
  const servers = await findRunningServers(config).catch(() => []);
  return servers.filter(({ state }) => state === 'alive').length;
}

type Joined = { pool: pg.Pool; database: Database };

/** Checks all parts of the database, if it answers. */
async function* examineDatabase({ pool, database }: Joined, config: Config): AsyncGenerator<Finding> {
  const reach = await runCheck('database', () => checkReach(database));
  yield reach;
  if (reach.problems.length > 0) return;
  const { databaseUrl, databaseReadUrl } = config;
  if (databaseUrl !== undefined) yield await runCheck('hosts of the database', () => checkHosts(databaseUrl));
  yield await runCheck('version, writes and locale of the database', () => checkKind(database));
  yield await runCheck('durability', () => checkDurability(database));
  const schema = await runCheck('schema', () => checkSchema(database));
  yield schema;
  if (config.embeddings !== undefined && schema.problems.length === 0)
    yield await runCheck('nearest vectors', () => checkVectorIndexes(database));
  yield await runCheck('clocks', () => checkClock(database));
  yield await runCheck('connections', async () =>
    checkConnections(pool, database, config, Math.max(1, await countServers(config))),
  );
  if (databaseReadUrl !== undefined)
    yield await runCheck('read replica', () => checkReplica(database, databaseReadUrl));
  if (schema.problems.length === 0) {
    yield await runCheck('API key', () => findRefusedKeys(database, config));
    yield await runCheck('credits', () => checkCredits(database, config));
    yield await runCheck('limits', () => checkLimits(database, config));
    yield await runCheck('files of this database', () => checkOwnFiles(database, config));
  }
  yield await runCheck('jobs', () => checkJobs(database, config));
}

/** PostgreSQL's code for a missing table: then no server has started on that database. */
const UNDEFINED_TABLE = '42P01';

async function identify(database: Database, config: Config): Promise<Deployment | undefined> {
  try {
    return { id: await findDeploymentId(database, config) };
  } catch (error) {
    return codeOf(error) === UNDEFINED_TABLE ? { id: undefined } : undefined;
  }
}

/** A deployment that has not started yet, or a mistyped DATA_DIR. */
const missingDatabase = (dataDir: string): Problem => ({
  isWarning: true,
  problem: `There is no database in DATA_DIR (${dataDir}) yet: the first start makes one.`,
  remedy: 'If this deployment has data already, set DATA_DIR to its directory.',
});

/**
 * Connects to the database, and checks it. If there is no embedded database yet, the first start will create it.
 * @returns the database's deployment; undefined when it is unknown
 */
async function* findDatabaseProblems(config: Config): AsyncGenerator<Finding, Deployment | undefined> {
  if (config.databaseUrl === undefined && !hasCluster(config.dataDir)) {
    yield { part: 'database', problems: [missingDatabase(config.dataDir)] };
    return { id: undefined };
  }
  const log = createLog('silent');
  let close = async () => {};
  let found: Joined | undefined;
  const joined = await runCheck('database', async () => {
    const opened = await joinDatabase(config, log);
    close = opened.close;
    const pool = createPool(opened.connection, 2, () => {});
    found = { pool, database: createDatabase(pool) };
    return [];
  });
  if (found === undefined) {
    yield joined;
    return undefined;
  }
  try {
    yield* examineDatabase(found, config);
    return await identify(found.database, config);
  } finally {
    await found.database.destroy();
    await close();
  }
}

/**
 * Examines the deployment with these settings, and yields each finding at once. Skips the database's checks when there
 * is no embedded database yet, and the server's when `server` is false. `environment`: by default this process's.
 * `files` false: reads no sample files, each of which takes a process. For tests of other parts.
 */
export async function* examine({
  environment,
  server = true,
  files = true,
}: {
  environment?: NodeJS.ProcessEnv;
  server?: boolean;
  files?: boolean;
} = {}): AsyncGenerator<Finding> {
  yield { part: `version ${manifest.version}`, problems: [] };
  const config = readSettings(environment);
  if (Array.isArray(config)) return void (yield { part: 'settings', problems: config });
  yield { part: 'settings', problems: [...checkNames(environment), ...checkBaseUrl(config)] };
  yield await runCheck('processes', checkProcesses);
  yield await runCheck('data directory', () => checkDataDirectory(config));
  yield await runCheck('secrets', () => checkSecrets(config));
  if (config.hasOcr) yield await runCheck(ocrPart(), checkOcr);
  if (files) yield await runCheck('reading of files', () => checkExtraction(config));
  if (config.hasWordVectors) yield await runCheck('word vectors (WORD_VECTORS is on)', checkWordVectors);
  const deployment = yield* findDatabaseProblems(config);
  if (hasStore(config))
    yield await runCheck('files', async () => checkFiles(await openFiles(config), config));
  const { embeddings, rerank } = config;
  if (embeddings !== undefined) yield await runCheck('embeddings', () => checkEmbeddings(embeddings));
  if (rerank !== undefined) yield await runCheck('reranking', () => checkReranker(rerank));
  if (!server) return;
  yield await runCheck('server', () => checkServer(config, deployment));
  const { baseUrl, s3 } = config;
  if (baseUrl !== undefined && s3 === undefined)
    yield await runCheck('public address', () => checkPublicAddress(baseUrl));
}
