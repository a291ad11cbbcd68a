/**
 * Kills servers, worker, PostgreSQL and their child processes in an order drawn from a seed, and restarts them.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import { createRandom, pick, type Random } from '../../harness/documents/texts.ts';
import { findDescendants } from '../../harness/machine/processes.ts';
import { findGivenUrl } from '../../harness/service/given-database.ts';
import { findPostgresPid } from '../../harness/service/service-database.ts';
import {
  type RunningProgram,
  type RunningService,
  startSecondServer,
  startService,
  startWorker,
} from '../../harness/service/service-process.ts';

/** Long enough for some requests between two deaths, short enough for several deaths. */
const PAUSE_MS = { least: 600, most: 2_200 };
/** The intended database failures would fill the log. */
const QUIET = { settings: { LOG_LEVEL: 'fatal' } };
/** A pause between attempts to restart, as an operator's supervisor makes. */
const RESTART_PAUSE_MS = 200;
/** Long enough under this load, on a machine with other work. */
const RESTART_TIMEOUT_MS = 60_000;

/**
 * `server`: the server that owns PostgreSQL. PostgreSQL runs on until the server's next start replaces it.
 * `backend`: one process of PostgreSQL. After its death PostgreSQL ends the others and recovers by itself.
 */
type Victim = 'server' | 'second server' | 'worker' | 'postgres' | 'backend' | 'extraction';

const isLinux = process.platform === 'linux';
/** Only Linux shows which processes belong to PostgreSQL. */
const POSTGRES_VICTIMS: Victim[] = ['postgres', ...(isLinux ? (['backend'] as const) : [])];
/** Small processes. They are killed besides the large ones, at the same time. */
const SMALL_VICTIMS: Victim[] = isLinux ? ['extraction'] : [];

/**
 * One or two servers and a worker on one data directory. The first server has the database.
 * `deaths`: by `performance.now()`, in milliseconds.
 */
export type Deployment = {
  dataDirectory: string;
  first: RunningService;
  second: RunningService | undefined;
  worker: RunningProgram;
  deaths: { victim: Victim; atMs: number }[];
};

const startFirst = (dataDirectory: string) => startService(dataDirectory, QUIET);
const startSecond = (dataDirectory: string) => startSecondServer(dataDirectory, QUIET.settings);

export const startDeployment = async (dataDirectory: string, servers: 1 | 2): Promise<Deployment> => ({
  dataDirectory,
  first: await startFirst(dataDirectory),
  second: servers === 2 ? await startSecond(dataDirectory) : undefined,
  worker: await startWorker(dataDirectory, QUIET),
  deaths: [],
});

export async function stopDeployment({ worker, second, first }: Deployment): Promise<void> {
  await worker.stop();
  await second?.stop();
  await first.stop();
}

/**
 * The large victims. The first kills follow this order, so that each victim dies. The server of a given database has
 * other databases too, and lives.
 */
const victimsOf = ({ dataDirectory, second }: Deployment): Victim[] => [
  'server',
  ...(second === undefined ? [] : (['second server'] as const)),
  'worker',
  ...(findGivenUrl(dataDirectory) === undefined ? POSTGRES_VICTIMS : []),
];

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Kills one of these processes, if one is alive.
 * @returns whether one was killed
 */
function killOne(pids: number[], random: Random): boolean {
  const living = pids.filter(isAlive);
  if (living.length > 0) process.kill(pick(living, random), 'SIGKILL');
  return living.length > 0;
}

/** The descendants of these processes that extract a file, or wait for one. */
const findExtractions = (pids: number[]): number[] =>
  pids.flatMap(findDescendants).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('extraction-process.');
    } catch {
      return false; // It has ended.
    }
  });

const findPostmaster = ({ dataDirectory }: Deployment): number[] => {
  const pid = findPostgresPid(dataDirectory);
  return pid === undefined ? [] : [pid];
};

/** Starts a process that needs a database. Retries while the database is down. */
async function restart<Started>(start: () => Promise<Started>): Promise<Started> {
  const tryOnce = () => start().catch(() => undefined);
  return await vi.waitUntil(tryOnce, { timeout: RESTART_TIMEOUT_MS, interval: RESTART_PAUSE_MS });
}

/**
 * Kills a victim, and restarts it if it does not restart by itself.
 * @returns whether there was such a process
 */
const KILL: Record<Victim, (deployment: Deployment, random: Random) => Promise<boolean>> = {
  async server(deployment) {
    await deployment.first.kill();
    deployment.first = await startFirst(deployment.dataDirectory);
    return true;
  },
  async 'second server'(deployment) {
    await deployment.second?.kill();
    deployment.second = await restart(() => startSecond(deployment.dataDirectory));
    return true;
  },
  async worker(deployment) {
    await deployment.worker.kill();
    deployment.worker = await restart(() => startWorker(deployment.dataDirectory, QUIET));
    return true;
  },
  postgres: async (deployment, random) => killOne(findPostmaster(deployment), random),
  backend: async (deployment, random) => killOne(findPostmaster(deployment).flatMap(findDescendants), random),
  extraction: async ({ first, second, worker }, random) =>
    killOne(findExtractions([first, worker, ...(second ? [second] : [])].map(({ pid }) => pid)), random),
};

type Killing = { victims: Victim[]; count: number; seed: number; signal: AbortSignal };

/** Kills `count` times, with pauses: first each victim in order, then random ones. Stops if `signal` aborts. */
async function killInTurn(deployment: Deployment, { victims, count, seed, signal }: Killing): Promise<void> {
  const random = createRandom(seed);
  for (let turn = 0; turn < count; ) {
    const pauseMs = PAUSE_MS.least + random() * (PAUSE_MS.most - PAUSE_MS.least);
    await delay(pauseMs, undefined, { signal }).catch(() => {}); // aborted
    if (signal.aborted || victims.length === 0) return;
    const victim = victims[turn] ?? pick(victims, random);
    const atMs = performance.now();
    if (!(await KILL[victim](deployment, random))) continue;
    deployment.deaths.push({ victim, atMs });
    turn++;
  }
}

/**
 * Kills the large victims `count` times in all, and the small ones during that time. Stops if `signal` aborts.
 */
export async function killVictims(
  deployment: Deployment,
  { count, seed, signal: outer }: Omit<Killing, 'victims'>,
): Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([outer, ending.signal]);
  const small = { victims: SMALL_VICTIMS, count: Number.POSITIVE_INFINITY, seed: seed + 1, signal };
  const others = killInTurn(deployment, small);
  try {
    await killInTurn(deployment, { victims: victimsOf(deployment), count, seed, signal });
  } finally {
    ending.abort();
    await others;
  }
}

/** The number of deaths of each victim. */
export function countDeaths(deployment: Deployment): Record<string, number> {
  const victims = [...victimsOf(deployment), ...SMALL_VICTIMS];
  const counts = Object.fromEntries(victims.map((victim) => [victim, 0]));
  for (const { victim } of deployment.deaths) counts[victim] = (counts[victim] ?? 0) + 1;
  return counts;
}
