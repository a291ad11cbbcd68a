/**
 * Takes imports from the queue, turn by turn of their accounts, and runs them. Why not pg-boss's own workers: these take
 * jobs in one order for all, and a limit for each group of jobs reads past every waiting job of a group at its limit.
 */
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { repeatOrWake } from '../concurrency/repeat.ts';
import { createImportTurns, findLane, type ImportTurns } from './import-lanes.ts';

/** How soon an import starts that nobody here was told of: another server's, a dead worker's, or one to be retried. */
const LOOK_INTERVAL_MS = 500;
/** How soon the queue is looked at again after that has failed, as while the database is away. */
const FAILED_LOOK_INTERVAL_MS = 2_000;
/** Importers beside those that one account may all have, for accounts that have none. */
const VISITORS = 2;

/** Where other servers are faster each time, the next look is soon enough. */
const FETCH_TRIES = 5;
/** How long handing back may take: where the database is silent, the jobs are tried again without. */
const HAND_BACK_MS = 1_000;

/** One try of a job; `signal` aborts when the job is this worker's no more. */
export type Attempt<Payload> = { payload: Payload; signal: AbortSignal };

export type Importers = {
  /** Looks for imports now, and not only at the next interval. */
  wake(): void;
  /** Takes no further import. */
  end(): Promise<void>;
  /** Lets the running ones end for `timeoutMs`, and hands back the rest. */
  stop(timeoutMs: number): Promise<void>;
};

type Options<Payload> = {
  boss: PgBoss;
  queue: string;
  handle: (attempt: Attempt<Payload>) => Promise<void>;
  heartbeatSeconds: number;
  log: Logger;
};

/** Runs jobs that were fetched, and settles what each comes to. */
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
  /** Where the database is away, the job's heart has stopped by now, and it is tried again. */
  const settle = async (job: Fetched, failure?: unknown): Promise<void> => {
    const settled =
      failure === undefined
        ? boss.complete(queue, attemptOf(job))
        : boss.fail(queue, attemptOf(job), failure as object); // as pg-boss's own workers do with what is thrown
    await settled.catch((error) => log.warn({ err: error }, 'job queue'));
  };
  const work = async (job: Fetched, lost: AbortController): Promise<void> => {
    const heart = setInterval(async () => {
      // A heartbeat that cannot be written says nothing about the job. What is counted stands in the manual only.
      const touching = boss.touch(queue, attemptOf(job)) as Promise<{ affected?: number }>;
      const touched = await touching.catch(() => undefined);
      if (touched?.affected === 0) lost.abort(new Error('the job is not of this worker any more'));
    }, heartbeatSeconds * 500);
    const failure = await handle({ payload: job.data, signal: lost.signal }).then(
      () => undefined,
      (error: unknown) => error,
    );
    clearInterval(heart);
    if (!lost.signal.aborted) await settle(job, failure);
  };
  return {
    async run(job: Fetched): Promise<void> {
      const lost = new AbortController();
      const ended = work(job, lost);
      running.set(ended, async (reason) => {
        lost.abort(reason);
        await settle(job, reason);
      });
      await ended;
      running.delete(ended);
    },
    untilAllEnded: () => Promise.all(running.keys()),
    handBack: (reason: Error) => Promise.all([...running.values()].map((handBack) => handBack(reason))),
  };
}

/** Takes the import that is next. */
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

/** Waits for `act`, but no longer than this. */
async function atMost(ms: number, act: Promise<unknown>): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  const deadline = setTimeout(resolve, ms);
  await Promise.race([act, isOver]).finally(() => clearTimeout(deadline));
}

/** Starts to take jobs; one account may have `concurrency` of them at the same time, and all accounts some more. */
export function startImporters<Payload extends object>(
  concurrency: number,
  options: Options<Payload>,
): Importers {
  const { log } = options;
  const turns = createImportTurns(concurrency, VISITORS);
  const { run, untilAllEnded, handBack } = createRunner(options);
  const look = async (): Promise<void> => {
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
      await look();
      return LOOK_INTERVAL_MS;
    } catch (error) {
      log.warn({ err: error }, 'job queue');
      return FAILED_LOOK_INTERVAL_MS;
    }
  });
  return {
    wake,
    end,
    async stop(timeoutMs) {
      await atMost(timeoutMs, end().then(untilAllEnded));
      await atMost(HAND_BACK_MS, handBack(new Error('the worker ends')));
    },
  };
}
