/** Checks whether the service works: the file store, the jobs, and the server's responses. */
import manifest from 'knowledge-retrieval/package.json' with { type: 'json' };
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/connection/database.ts';
import type { FileStore } from '../../files/file-store.ts';
import { findMovingQueues, hasJobs, readJobFigures } from '../../jobs/job-figures.ts';
import { DEAD_LETTER_QUEUE, EMBEDDING_QUEUE, VECTORS_QUEUE } from '../../jobs/queue-policies.ts';
import { findRunningServers, findServerAddress } from '../../serve/discovery/running-servers.ts';
import { hasStore, openFiles } from '../../serve/open-files.ts';
import { findForeignFiles } from '../../serve/own-store.ts';
import type { JobFigures } from '../../telemetry/telemetry.ts';
import { type Problem, reasonOf } from '../../terms/problem.ts';

/** A worker takes a free job within seconds, and finishes a large file within minutes. */
const STANDSTILL_SECONDS = 300;

const ANSWER_TIMEOUT_MS = 5_000;

/** Checks whether the file store can write, read and remove an object. */
export async function checkFiles(files: FileStore, { s3, dataDir }: Config): Promise<Problem[]> {
  try {
    await files.probe();
    return [];
  } catch (error) {
    const problem = `The file store does not work: ${reasonOf(error)}.`;
    if (s3 === undefined)
      return [{ problem, remedy: `Allow the user who runs the service to write to ${dataDir}/files.` }];
    const remedy =
      `Check whether S3_ENDPOINT (${s3.endpoint ?? "Amazon's"}) is the address of the store, ` +
      `whether bucket ${s3.bucket} exists, ` +
      'and whether the credentials (AWS_ACCESS_KEY_ID, …) may put, get and delete objects in it.';
    return [{ problem, remedy }];
  }
}

const NO_STORE = { exists: async () => false };

/** Checks whether the store has the files of the database. @throws the store's error */
export async function checkOwnFiles(database: Database, config: Config): Promise<Problem[]> {
  const files = hasStore(config) ? await openFiles(config) : NO_STORE;
  const foreign = await findForeignFiles({ database, files }, config);
  return foreign === undefined ? [] : [foreign];
}

const minutes = (seconds: number): string => `${Math.floor(seconds / 60)} minutes`;

function describeWaiting({ queue, waiting, oldestWaitingSeconds }: JobFigures): Problem {
  const time = minutes(oldestWaitingSeconds);
  if (queue === DEAD_LETTER_QUEUE)
    return {
      problem: `${waiting} imports failed at every try, and for ${time} their documents could not be marked as failed.`,
      remedy: 'See “import given up” in the log of the workers for the reason. They try again by themselves.',
    };
  return {
    problem:
      `${waiting} jobs of ${queue} wait, the oldest for ${time}; ` +
      `in the last ${minutes(STANDSTILL_SECONDS)} none was begun or finished.`,
    remedy:
      'Start a worker (`npx knowledge-retrieval serve --worker`). If a worker runs, see its log for the reason; ' +
      '`npx knowledge-retrieval status --watch` shows whether imports go on.',
  };
}

/** The queues whose jobs wait for ever, because vectors have been turned off. */
const queuesWithoutUse = ({ hasWordVectors, embeddings }: Config): string[] => [
  ...(hasWordVectors ? [] : [VECTORS_QUEUE]),
  ...(embeddings === undefined ? [EMBEDDING_QUEUE] : []),
];

/**
 * Finds queues without progress, and dead letters whose documents could not be marked as failed. Before the first start
 * there are none. A long queue is no problem: a thousand files may wait for hours.
 */
export async function checkJobs(database: Database, config: Config): Promise<Problem[]> {
  if (!(await hasJobs(database))) return [];
  const unused = queuesWithoutUse(config);
  const waiting = (await readJobFigures(database)).filter(
    ({ queue, oldestWaitingSeconds }) => oldestWaitingSeconds > STANDSTILL_SECONDS && !unused.includes(queue),
  );
  if (waiting.length === 0) return [];
  const moving = await findMovingQueues(database, STANDSTILL_SECONDS);
  // A dead letter is handled within seconds, so a waiting one has failed.
  return waiting
    .filter(({ queue }) => queue === DEAD_LETTER_QUEUE || !moving.has(queue))
    .map(describeWaiting);
}

type Answer = {
  status: number;
  body: {
    success?: boolean;
    errorCode?: string;
    data?: { deploymentId?: string; store?: string; version?: string; proxiedAs?: string };
  };
};

/** `id` undefined: no server has started with these settings, so one that answers belongs to another deployment. */
export type Deployment = { id: string | undefined };

async function get(address: string): Promise<Answer> {
  const response = await fetch(address, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  const body = (await response.json().catch(() => ({}))) as Answer['body']; // any JSON: only single fields are compared
  return { status: response.status, body };
}

/** Compares the ids of deployments: a server of another deployment would answer too. */
function compareDeployments(
  { dataDir, databaseUrl }: Config,
  { address, found, expected }: { address: string; found: string | undefined; expected: Deployment },
): Problem[] {
  if (found !== undefined && found === expected.id) return [];
  const place =
    databaseUrl === undefined ? `DATA_DIR (${dataDir})` : 'DATABASE_URL, DATA_DIR or UPLOAD_SECRET';
  return [
    {
      problem: `The server at ${address} runs with other settings: it has another database, or other secrets.`,
      remedy: `Set ${place} to that server's value, or start a server with these settings on another PORT.`,
    },
  ];
}

/** `store`: the server's own report about its file store. */
function checkServersStore(address: string, store: string | undefined): Problem[] {
  if (store !== 'unavailable') return [];
  const problem = `The server at ${address} gets no answer from its file store.`;
  const remedy =
    'Repair the store. Until then queries and texts work; uploads and imports of files wait or end with 503.';
  return [{ problem, remedy }];
}

/** `proxiedAs`: the public address that a proxy has named to the server, where that makes others. */
function checkProxy(address: string, proxiedAs: string | undefined): Problem[] {
  if (proxiedAs === undefined) return [];
  return [
    {
      problem:
        `A proxy says that clients call the server at ${address} by ${proxiedAs}, but its addresses for uploads and ` +
        'downloads begin otherwise: they fail.',
      remedy: `Set BASE_URL=${proxiedAs}, or TRUST_PROXY=on where only a proxy reaches the server: see docs/proxy.md.`,
    },
  ];
}

/** Warns of a server that was not restarted after an upgrade, or of a command that was not upgraded. */
async function checkServersVersion(address: string): Promise<Problem[]> {
  const { body } = await get(`${address}/`);
  const { version } = body.data ?? {};
  if (version === manifest.version) return [];
  const found = version === undefined ? 'an earlier version' : `version ${version}`;
  const problem = `The server at ${address} is ${found}, and this command is version ${manifest.version}.`;
  return [{ isWarning: true, problem, remedy: 'Restart the server, or use the command of its version.' }];
}

/** Names a port only where PORT or a server has named one: the default may never have been used. */
async function describeNoServer(config: Config, silence: string): Promise<Problem> {
  const isNamed = config.isPortSet || (await findRunningServers(config).catch(() => [])).length > 0;
  const remedy = 'Start it by `npx knowledge-retrieval serve`, or skip this check with --no-server.';
  return { problem: isNamed ? silence : `No server runs on DATA_DIR (${config.dataDir}).`, remedy };
}

/** Checks whether this deployment's server runs here and is ready; `expected` undefined: the deployment is unknown. */
export async function checkServer(config: Config, expected: Deployment | undefined): Promise<Problem[]> {
  const address = await findServerAddress(config);
  try {
    const { status, body } = await get(`${address}/readyz`);
    if (status === 200 && body.success) {
      const { deploymentId: found, store, proxiedAs } = body.data ?? {};
      return [
        ...(expected ? compareDeployments(config, { address, found, expected }) : []),
        ...checkServersStore(address, store),
        ...checkProxy(address, proxiedAs),
        ...(await checkServersVersion(address)),
      ];
    }
    if (body.errorCode === 'SERVICE_UNAVAILABLE') {
      const remedy = 'Its database is unavailable, or it is stopping: see its log.';
      return [{ problem: `The server at ${address} is not ready.`, remedy }];
    }
    const remedy = 'End that program, or set another PORT.';
    return [{ problem: `Another program answers at ${address}.`, remedy }];
  } catch (error) {
    return [await describeNoServer(config, `No server answers at ${address}: ${reasonOf(error)}.`)];
  }
}

/** Checks whether BASE_URL leads to the service, which refuses an invalid upload with METHOD_NOT_ALLOWED. */
export async function checkPublicAddress(baseUrl: string): Promise<Problem[]> {
  const remedy =
    'Set BASE_URL to the address by which clients reach the service, and let the proxy there forward /uploads ' +
    'and /downloads.';
  try {
    const { body } = await get(`${baseUrl}/uploads/doctor`);
    if (body.errorCode === 'METHOD_NOT_ALLOWED') return [];
    return [{ problem: `Another program answers at BASE_URL (${baseUrl}).`, remedy }];
  } catch (error) {
    return [{ problem: `No server answers at BASE_URL (${baseUrl}): ${reasonOf(error)}.`, remedy }];
  }
}
