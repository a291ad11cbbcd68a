/** Checks whether the service works: the store of files, the jobs, and the server's answers. */
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { FileStore } from '../../files/file-store.ts';
import { findMovingQueues, readJobFigures } from '../../jobs/job-figures.ts';
import { DEAD_LETTER_QUEUE, hasJobQueue } from '../../jobs/job-queue.ts';
import { type Problem, reasonOf } from '../../problem.ts';
import type { JobFigures } from '../../telemetry/telemetry.ts';

/** A worker takes a free job within seconds, and finishes a large file within minutes. */
const STANDSTILL_SECONDS = 300;

const ANSWER_TIMEOUT_MS = 5_000;

/** Whether the store of uploaded files can write, read and remove an object. */
export async function checkFiles(files: FileStore, { s3, dataDir }: Config): Promise<Problem[]> {
  try {
    await files.probe();
    return [];
  } catch (error) {
    const problem = `The store of files does not work: ${reasonOf(error)}.`;
    if (s3 === undefined)
      return [{ problem, remedy: `Let the user who runs the service write into ${dataDir}/files.` }];
    const remedy = `See whether S3_ENDPOINT (${s3.endpoint ?? "Amazon's"}) leads to the store, whether bucket ${s3.bucket} exists, and whether the credentials (AWS_ACCESS_KEY_ID, …) may put, get and delete objects in it.`;
    return [{ problem, remedy }];
  }
}

const minutes = (seconds: number): string => `${Math.floor(seconds / 60)} minutes`;

function describeWaiting({ queue, waiting, oldestWaitingSeconds }: JobFigures): Problem {
  const time = minutes(oldestWaitingSeconds);
  if (queue === DEAD_LETTER_QUEUE)
    return {
      problem: `${waiting} imports were given up, and their documents could not be ended as failed for ${time}.`,
      remedy: 'The log of the workers tells why under “import given up”; they try again by themselves.',
    };
  return {
    problem: `${waiting} jobs of ${queue} wait, the oldest for ${time}; within ${minutes(STANDSTILL_SECONDS)} none was begun or finished.`,
    remedy:
      'Start a worker (`npx knowledge-retrieval serve --worker`); if one runs, its log tells what keeps it.',
  };
}

/**
 * Finds queues without progress, and imports that could not be given up. Before the first start it finds none. The
 * length of a queue is no problem: a thousand files wait for hours.
 */
export async function checkJobs(database: Database): Promise<Problem[]> {
  if (!(await hasJobQueue(database))) return [];
  const waiting = (await readJobFigures(database)).filter(
    ({ oldestWaitingSeconds }) => oldestWaitingSeconds > STANDSTILL_SECONDS,
  );
  if (waiting.length === 0) return [];
  const moving = await findMovingQueues(database, STANDSTILL_SECONDS);
  // Dead letters end within seconds: each one that waits has failed.
  return waiting
    .filter(({ queue }) => queue === DEAD_LETTER_QUEUE || !moving.has(queue))
    .map(describeWaiting);
}

type Answer = {
  status: number;
  body: { success?: boolean; errorCode?: string; data?: { deploymentId?: string; store?: string } };
};

/**
 * `id` undefined: no server with these settings has started yet, so a server that answers belongs to another
 * deployment.
 */
export type Deployment = { id: string | undefined };

async function get(address: string): Promise<Answer> {
  const response = await fetch(address, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  const body = (await response.json().catch(() => ({}))) as Answer['body']; // any JSON: only single fields are compared
  return { status: response.status, body };
}

/** The address of this deployment's server, from this machine. */
function localAddress({ host, port }: Config): string {
  const hostname = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
}

/** A server of another deployment also answers, but from another database. */
function compareDeployments(
  { dataDir, databaseUrl }: Config,
  { address, found, expected }: { address: string; found: string | undefined; expected: Deployment },
): Problem[] {
  if (found !== undefined && found === expected.id) return [];
  const place =
    databaseUrl === undefined ? `DATA_DIR (${dataDir})` : 'DATABASE_URL, DATA_DIR or UPLOAD_SECRET';
  return [
    {
      problem: `The server at ${address} is not one of these settings: it has another database, or other secrets.`,
      remedy: `Set ${place} as that server has it; or start a server of these settings on another PORT.`,
    },
  ];
}

/** `store`: the server's own report about its store of files. */
function checkServersStore(address: string, store: string | undefined): Problem[] {
  if (store !== 'unavailable') return [];
  const problem = `The server at ${address} gets no answer from its store of files.`;
  const remedy =
    'Queries and texts go on; uploads and imports of files wait or end with 503 until the store answers.';
  return [{ problem, remedy }];
}

/** Whether a server of this deployment answers on this machine and is ready; undefined: the deployment is unknown. */
export async function checkServer(config: Config, expected: Deployment | undefined): Promise<Problem[]> {
  const address = localAddress(config);
  try {
    const { status, body } = await get(`${address}/readyz`);
    if (status === 200 && body.success) {
      const { deploymentId: found, store } = body.data ?? {};
      return [
        ...(expected ? compareDeployments(config, { address, found, expected }) : []),
        ...checkServersStore(address, store),
      ];
    }
    if (body.errorCode === 'SERVICE_UNAVAILABLE') {
      const remedy = 'It reaches no database, or is about to end: its log tells which.';
      return [{ problem: `The server at ${address} is not ready.`, remedy }];
    }
    const remedy = 'End that program, or set another PORT.';
    return [{ problem: `Something else than this service answers at ${address}.`, remedy }];
  } catch (error) {
    const remedy = 'Start it (`npm start`), or leave this check out by --no-server where none is to run.';
    return [{ problem: `No server answers at ${address}: ${reasonOf(error)}.`, remedy }];
  }
}

/** Whether BASE_URL leads to the service: it refuses an invalid upload with its own error. */
export async function checkPublicAddress(baseUrl: string): Promise<Problem[]> {
  const remedy =
    'Set BASE_URL to what clients reach the service by, and let the proxy there pass /uploads on.';
  try {
    const { body } = await get(`${baseUrl}/uploads/doctor`);
    if (body.errorCode === 'METHOD_NOT_ALLOWED') return [];
    return [{ problem: `Something else than this service answers at BASE_URL (${baseUrl}).`, remedy }];
  } catch (error) {
    return [{ problem: `Nothing answers at BASE_URL (${baseUrl}): ${reasonOf(error)}.`, remedy }];
  }
}
