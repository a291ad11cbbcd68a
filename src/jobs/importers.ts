/**
 * Takes imports from the queue, with the accounts in turn, and runs them. Why not pg-boss's own workers: they take jobs
 * in one order for all accounts. With their limit for a group, they scan all waiting jobs of a group at its limit.
 */
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { repeatOrWake } from '../concurrency/repeat.ts';
import { withTimeout } from '../concurrency/timeout.ts';
import { createImportTurns, findLane, type ImportTurns } from './import-turns.ts';

/** Interval between looks for imports that `wake` does not announce: another server's, a dead worker's, and retries. */
const POLL_INTERVAL_MS = 500;
/** How soon the queue is queried again after a failure, for example while the database is unavailable. */
const FAILED_POLL_INTERVAL_MS = 2_000;
/** Importers that serve only accounts without an importer, in addition to the regular ones. */
const EXTRA_IMPORTERS = 2;

/** How often a fetch is tried when other servers take the job first. Afterwards the next interval is soon enough. */
const FETCH_TRIES = 5;
/** Time limit for handing jobs back. If the database does not answer, the missing heartbeat leads to the retry. */
const HAND_BACK_MS = 1_000;

/** How soon a postponed job runs. */
const POSTPONED_SECONDS = 5;

/** Thrown by a job that cannot run now, through no fault of its own: it runs again later, and keeps all its tries. */
export class Postponed extends Error {}

/** One try of a job; `signal` aborts when this worker has lost the job. */
export type Attempt<Payload> = { payload: Payload; signal: AbortSignal };

export type Importers = {
  /** Queries the queue for imports now, before the next interval. */
  wake(): void;
  /** Takes no further imports. */
  end(): Promise<void>;
  /** Lets running imports end within `timeoutMs`, and hands back the rest. */
  stop(timeoutMs: number): Promise<void>;
};

type Options<Payload> = {
  boss: PgBoss;
  queue: string;
  handle: (attempt: Attempt<Payload>) => Promise<void>;
  heartbeatSeconds: number;
  log: Logger;
};

/** Runs fetched jobs, and records the result of each. */
function createRunner<Payload extends object>({
  boss,
  queue,
  handle,
  heartbeatSeconds,
  log,
}: Options<Payload>) {
  type Fetched = JobWithMetadata<Payload>;
  const running = new Map<Promise<void>, (reason: Error) => Promise<void>>();
  const attemptOf = ({ id, retryCount }: Fetched) => ({ id, retryCount });
  /** Lets the job wait again, as one that was never begun, in its place of the queue. pg-boss has no call for it. */
  const postpone = ({ id, retryCount }: Fetched): Promise<unknown> =>
    boss.getDb().executeSql(
      `UPDATE pgboss.job SET state = 'created', started_on = NULL, heartbeat_on = NULL,
         start_after = now() + make_interval(secs => ${POSTPONED_SECONDS})
       WHERE name = $1 AND id = $2 AND retry_count = $3 AND state = 'active'`,
      [queue, id, retryCount],
    );
  const record = async (job: Fetched, failure?: unknown): Promise<unknown> => {
    if (failure === undefined) return await boss.complete(queue, attemptOf(job));
    if (failure instanceof Postponed) return await postpone(job);
    return await boss.fail(queue, attemptOf(job), failure as object); // pg-boss's own workers also pass the thrown error
  };
  /** Logs a failure to record the result: without its heartbeat, the job is tried again. */
  const recordResult = (job: Fetched, failure?: unknown): Promise<unknown> =>
    record(job, failure).catch((error) =>
      log.warn({ err: error }, 'the result of an import could not be recorded'),
    );
  const work = async (job: Fetched, lost: AbortController): Promise<void> => {
    const heartbeat = setInterval(async () => {
      // Without an answer the job may still be ours. The type omits `affected`, which pg-boss's manual documents.
      const touching = boss.touch(queue, attemptOf(job)) as Promise<{ affected?: number }>;
      const touched = await touching.catch(() => undefined);
      if (touched?.affected === 0) lost.abort(new Error('this worker has lost the job'));
    }, heartbeatSeconds * 500);
    const failure = await handle({ payload: job.data, signal: lost.signal }).then(
      () => undefined,
      (error: unknown) => error,
    );
    clearInterval(heartbeat);
    if (!lost.signal.aborted) await recordResult(job, failure);
  };
  return {
    async run(job: Fetched): Promise<void> {
      const lost = new AbortController();
      const ended = work(job, lost);
      running.set(ended, async (reason) => {
        lost.abort(reason);
        await recordResult(job, reason);
      });
      await ended;
      running.delete(ended);
    },
    untilAllEnded: () => Promise.all(running.keys()),
    handBack: (reason: Error) => Promise.all([...running.values()].map((handBack) => handBack(reason))),
  };
}

/** Fetches the next import. */
async function fetchNext<Payload extends object>(
  { boss, queue }: Options<Payload>,
  turns: ImportTurns,
): Promise<JobWithMetadata<Payload> | undefined> {
  for (let i = 0; i < FETCH_TRIES; i++) {
    const lane = await findLane(boss.getDb(), queue, turns.nextLanes());
    if (lane === undefined) return undefined;
    const onlyLane = { minPriority: lane, maxPriority: lane, includeMetadata: true } as const;
    const [job] = await boss.fetch<Payload>(queue, onlyLane);
    if (job !== undefined) return job;
  }
  return undefined;
}

/** Starts to take jobs: at most `concurrency` at the same time, and EXTRA_IMPORTERS more for accounts without any. */
export function startImporters<Payload extends object>(
  concurrency: number,
  options: Options<Payload>,
): Importers {
  const { log } = options;
  const turns = createImportTurns(concurrency, EXTRA_IMPORTERS);
  const { run, untilAllEnded, handBack } = createRunner(options);
  const runWaiting = async (): Promise<void> => {
    const next = () => fetchNext(options, turns);
    for (let job = await next(); job !== undefined; job = await next()) {
      const { priority: lane } = job;
      turns.take(lane);
      run(job).then(() => {
        turns.leave(lane);
        wake();
      });
    }
  };
  const { wake, stop: end } = repeatOrWake(async () => {
    try {
      await runWaiting();
      return POLL_INTERVAL_MS;
    } catch (error) {
      log.warn({ err: error }, 'the queue of imports could not be read');
      return FAILED_POLL_INTERVAL_MS;
    }
  });
  return {
    wake,
    end,
    async stop(timeoutMs) {
      await withTimeout(end().then(untilAllEnded), timeoutMs, () => {});
      await withTimeout(handBack(new Error('the worker stops')), HAND_BACK_MS, () => {});
    },
  };
}
