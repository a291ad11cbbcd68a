/** Kills server, worker, PostgreSQL and what they have started, in an order that follows from a seed, and starts them again. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import { findDescendants } from '../../scripts/benchmark/processes.ts';
import { createRandom, pick, type Random } from '../../scripts/benchmark/texts.ts';
import {
  findPostgresPid,
  type RunningService,
  type RunningWorker,
  startService,
  startWorker,
} from '../../scripts/service-process.ts';

/** Long enough for some requests between two deaths, short enough for several deaths. */
const PAUSE_MS = { least: 600, most: 2_200 };
/** That a database is away fills the log here, and is meant to. */
const QUIET = { settings: { LOG_LEVEL: 'fatal' } };
/** An operator's supervisor tries again as well. */
const RESTART_PAUSE_MS = 200;
/** Under all that load, on a machine with other work. */
const RESTART_TIMEOUT_MS = 60_000;

/** `backend`: one process of PostgreSQL's, upon whose death it ends the others and recovers by itself. */
type Victim = 'server' | 'worker' | 'postgres' | 'backend' | 'reader';

const isLinux = process.platform === 'linux';
/** Who dies by turns: the first round in this order, so that each dies. Linux alone tells who belongs to whom. */
const VICTIMS: Victim[] = ['server', 'worker', 'postgres', ...(isLinux ? (['backend'] as const) : [])];
/** Who dies besides them, whose death takes no time from theirs. */
const SMALL_VICTIMS: Victim[] = isLinux ? ['reader'] : [];

/** `deaths` by `performance.now()`, in milliseconds. */
export type Pair = {
  dataDirectory: string;
  service: RunningService;
  worker: RunningWorker;
  deaths: { victim: Victim; atMs: number }[];
};

/** Server and worker on one data directory. */
export const startPair = async (dataDirectory: string): Promise<Pair> => ({
  dataDirectory,
  service: await startService(dataDirectory, QUIET),
  worker: await startWorker(dataDirectory, QUIET),
  deaths: [],
});

export async function stopPair({ worker, service }: Pair): Promise<void> {
  await worker.stop();
  await service.stop();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Kills one of these, if there is any; @returns whether it has. */
function killOne(pids: number[], random: Random): boolean {
  const living = pids.filter(isAlive);
  if (living.length > 0) process.kill(pick(living, random), 'SIGKILL');
  return living.length > 0;
}

/** The processes below these that read a file, or wait for one. */
const findReaders = (pids: number[]): number[] =>
  pids.flatMap(findDescendants).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('extraction-process.ts');
    } catch {
      return false; // It has ended.
    }
  });

const findPostmaster = ({ dataDirectory }: Pair): number[] => {
  const pid = findPostgresPid(dataDirectory);
  return pid === undefined ? [] : [pid];
};

/** Kills a victim and starts again what nobody else does; @returns whether there was one. */
const KILL: Record<Victim, (pair: Pair, random: Random) => Promise<boolean>> = {
  async server(pair) {
    await pair.service.kill();
    pair.service = await startService(pair.dataDirectory, QUIET);
    return true;
  },
  async worker(pair) {
    await pair.worker.kill();
    // PostgreSQL may be away just now.
    const restart = async () => {
      pair.worker = await startWorker(pair.dataDirectory, QUIET).catch(() => pair.worker);
      return isAlive(pair.worker.pid);
    };
    await vi.waitUntil(restart, { timeout: RESTART_TIMEOUT_MS, interval: RESTART_PAUSE_MS });
    return true;
  },
  postgres: async (pair, random) => killOne(findPostmaster(pair), random),
  backend: async (pair, random) => killOne(findPostmaster(pair).flatMap(findDescendants), random),
  reader: async ({ service, worker }, random) => killOne(findReaders([service.pid, worker.pid]), random),
};

type Killing = { victims: Victim[]; count: number; seed: number; signal: AbortSignal };

/** Kills one of the victims after the other, `count` times or until `signal` aborts. */
async function killInTurn(pair: Pair, { victims, count, seed, signal }: Killing): Promise<void> {
  const random = createRandom(seed);
  for (let turn = 0; turn < count; ) {
    const pauseMs = PAUSE_MS.least + random() * (PAUSE_MS.most - PAUSE_MS.least);
    await delay(pauseMs, undefined, { signal }).catch(() => {}); // aborted
    if (signal.aborted || victims.length === 0) return;
    const victim = victims[turn] ?? pick(victims, random);
    const atMs = performance.now();
    if (!(await KILL[victim](pair, random))) continue;
    pair.deaths.push({ victim, atMs });
    turn++;
  }
}

/** Kills the large victims `count` times in all, and the small ones as long as that takes; sooner where `signal` aborts. */
export async function killVictims(
  pair: Pair,
  { count, seed, signal: given }: Omit<Killing, 'victims'>,
): Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([given, ending.signal]);
  const small = { victims: SMALL_VICTIMS, count: Number.POSITIVE_INFINITY, seed: seed + 1, signal };
  const others = killInTurn(pair, small);
  try {
    await killInTurn(pair, { victims: VICTIMS, count, seed, signal });
  } finally {
    ending.abort();
    await others;
  }
}

/** How often each has died. */
export function countDeaths({ deaths }: Pair): Record<string, number> {
  const counts = Object.fromEntries([...VICTIMS, ...SMALL_VICTIMS].map((victim) => [victim, 0]));
  for (const { victim } of deaths) counts[victim] = (counts[victim] ?? 0) + 1;
  return counts;
}
