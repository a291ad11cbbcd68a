/** Takes the jobs of one queue, with the accounts in turn, runs them, and records how they end. */
import type { Logger } from 'pino';
import { repeatOrWake } from '../concurrency/repeat.ts';
import { withTimeout } from '../concurrency/timeout.ts';
import type { Database } from '../database/connection/database.ts';
import { endJob, LEASE_SECONDS, putBack, renewLease, type TakenJob, takeJob } from '../database/rows/jobs.ts';
import type { ScopedId } from '../terms/ids.ts';
import type { Turns } from './import-turns.ts';
import { POLICIES, type QueueName, retryPauseSeconds } from './queue-policies.ts';

/** How soon the queue is queried again after a failure, for example while the database is unavailable. */
const FAILED_POLL_INTERVAL_MS = 2_000;
/** Time limit for handing jobs back. If the database does not answer, the end of the lease leads to the retry. */
const HAND_BACK_MS = 1_000;

/** How soon a postponed job runs. */
const POSTPONED_SECONDS = 5;

/** Thrown by a job that cannot run now, through no fault of its own: it runs again later, and keeps all its tries. */
export class Postponed extends Error {}

/** Thrown by a job whose try has failed. `afterSeconds`: no other try comes before; undefined: as after any failure. */
export class RetryLater extends Error {
  readonly afterSeconds: number | undefined;

  constructor(
    message: string,
    { afterSeconds, cause }: { afterSeconds: number | undefined; cause: unknown },
  ) {
    super(message, { cause });
    this.afterSeconds = afterSeconds;
  }
}

/**
 * One try of a job; `signal` aborts when this worker has lost the job, or may not go on with it. `isLastTry`: after a
 * failure there is no other one.
 */
export type Attempt<Payload> = { payload: Payload; signal: AbortSignal; isLastTry?: boolean };

/** The workers of one queue in this process. */
export type Workers = {
  /** Queries the queue now, before the next interval. */
  wake(): void;
  /** Takes no further jobs. */
  end(): Promise<void>;
  /** Lets running jobs end within `timeoutMs`, and hands back the rest. */
  stop(timeoutMs: number): Promise<void>;
};

type Options = {
  database: Database;
  queue: QueueName;
  /** The payload is the job's subject; nil UUIDs where it has none. */
  handle: (attempt: Attempt<ScopedId>) => Promise<void>;
  turns: Turns;
  /** Interval between looks for jobs that `wake` does not announce: another server's, a dead worker's, and retries. */
  pollIntervalMs: number;
  log: Logger;
};

/** Records the end of a try. `failure` undefined: the job is done. */
async function recordEnd(
  { database, queue }: Pick<Options, 'database' | 'queue'>,
  job: TakenJob,
  failure: unknown,
): Promise<void> {
  const { retries, deadLetters, everySeconds } = POLICIES[queue];
  const { tries } = job;
  if (failure instanceof Postponed)
    return await putBack(database, job, { queue, tries: tries - 1, afterSeconds: POSTPONED_SECONDS });
  if (failure !== undefined && tries <= retries) {
    const askedSeconds = failure instanceof RetryLater ? (failure.afterSeconds ?? 0) : 0;
    const afterSeconds = Math.max(askedSeconds, retryPauseSeconds(queue, tries));
    return await putBack(database, job, { queue, tries, afterSeconds });
  }
  if (failure !== undefined && deadLetters !== undefined)
    return await putBack(database, job, { queue: deadLetters, tries: 0, afterSeconds: 0, isNew: true });
  if (everySeconds !== undefined)
    return await putBack(database, job, { queue, tries: 0, afterSeconds: everySeconds, isNew: true });
  await endJob(database, job);
}

/** @throws the error of the job, or the reason why it may not run, or not any longer */
async function runTry(
  { queue, handle }: Options,
  { knowledgeBaseId, id, tries }: TakenJob,
  aborting: AbortController,
): Promise<void> {
  const { retries, tryMaxSeconds } = POLICIES[queue];
  if (tries > retries + 1) throw new Error('the worker of the last try has died');
  const attempt = { payload: { knowledgeBaseId, id }, signal: aborting.signal, isLastTry: tries > retries };
  await withTimeout(handle(attempt), tryMaxSeconds * 1000, () => {
    aborting.abort(new Error(`the job has not ended within ${tryMaxSeconds} seconds`));
    throw aborting.signal.reason;
  });
}

type RunningJob = { ended: Promise<void>; handBack(reason: Error): Promise<void> };

/** Runs a job, renews its lease meanwhile, and records the result. */
function runJob(options: Options, job: TakenJob): RunningJob {
  const { database, queue, log } = options;
  const aborting = new AbortController();
  let isLost = false;
  const lose = (reason: Error) => {
    isLost = true;
    aborting.abort(reason);
  };
  /** Logs a failure to record what became of the job: at the end of its lease, it is tried again. */
  const logged = (recording: Promise<void>): Promise<void> =>
    recording.catch((error) => log.warn({ err: error, queue }, 'the result of a job could not be recorded'));
  const work = async (): Promise<void> => {
    const renewing = setInterval(async () => {
      // Without an answer the job may still be ours.
      const isOurs = await renewLease(database, job).catch(() => true);
      if (!isOurs) lose(new Error('this worker has lost the job'));
    }, LEASE_SECONDS * 500);
    const failure = await runTry(options, job, aborting).then(
      () => undefined,
      (error: unknown) => error,
    );
    clearInterval(renewing);
    if (!isLost) await logged(recordEnd(options, job, failure));
  };
  return {
    ended: work(),
    /** Through no fault of the job: it keeps its tries, and another worker may take it at once. */
    async handBack(reason) {
      lose(reason);
      await logged(putBack(database, job, { queue, tries: job.tries - 1, afterSeconds: 0 }));
    },
  };
}

/** Starts to take jobs, as many at the same time as `turns` allows. */
export function startWorkers(options: Options): Workers {
  const { database, queue, turns, pollIntervalMs, log } = options;
  const running = new Set<RunningJob>();
  const takeNext = async (): Promise<TakenJob | undefined> => {
    const ranges = turns.nextAccounts();
    return ranges.length === 0 ? undefined : await takeJob(database, queue, ranges);
  };
  const begin = async (job: TakenJob): Promise<void> => {
    turns.take(job.accountId);
    const begun = runJob(options, job);
    running.add(begun);
    await begun.ended;
    running.delete(begun);
    turns.leave(job.accountId);
    wake();
  };
  const { wake, stop: end } = repeatOrWake(async () => {
    try {
      for (let job = await takeNext(); job !== undefined; job = await takeNext()) void begin(job);
      return pollIntervalMs;
    } catch (error) {
      log.warn({ err: error, queue }, 'the queue of jobs could not be read');
      return FAILED_POLL_INTERVAL_MS;
    }
  });
  const untilAllEnded = () => Promise.all([...running].map(({ ended }) => ended));
  return {
    wake,
    end,
    async stop(timeoutMs) {
      await withTimeout(end().then(untilAllEnded), timeoutMs, () => {});
      const handingBack = [...running].map(({ handBack }) => handBack(new Error('the worker stops')));
      await withTimeout(Promise.all(handingBack), HAND_BACK_MS, () => {});
    },
  };
}
