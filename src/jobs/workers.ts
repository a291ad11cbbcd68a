/** Takes the jobs of one queue, with the accounts in turn, runs them, and records how they end. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Logger } from 'pino';
import { repeatOrWake } from '../concurrency/repeat.ts';
import { withTimeout } from '../concurrency/timeout.ts';
import type { Database } from '../database/connection/database.ts';
import {
  endJobs,
  LEASE_SECONDS,
  putBack,
  renewLease,
  type TakenJob,
  takeJobs,
} from '../database/rows/jobs.ts';
import type { ScopedId } from '../terms/ids.ts';
import { POLICIES, type QueueName, retryPauseSeconds } from './queue-policies.ts';
import type { RoundRobin } from './round-robin.ts';

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

/**
 * How small jobs of an account are run that were taken together, `most` at a time. Each has a result of its own.
 * Together they take one worker, until the last of them ends.
 */
export type Together = { most: number; handle: (attempts: Attempt<ScopedId>[]) => Promise<void>[] };

type Options = {
  database: Database;
  queue: QueueName;
  /** The payload is the job's subject; nil UUIDs where it has none. */
  handle: (attempt: Attempt<ScopedId>) => Promise<void>;
  together?: Together;
  roundRobin: RoundRobin;
  /** Interval between looks for jobs that `wake` does not announce: another server's, a dead worker's, and retries. */
  pollIntervalMs: number;
  log: Logger;
};

/** Ends jobs. Those that end in the same iteration of the event loop share a statement. */
type EndJob = (job: TakenJob) => Promise<void>;

function createEndJob(database: Database): EndJob {
  let ending: { jobs: TakenJob[]; ended: Promise<void> } | undefined;
  const open = () => {
    const jobs: TakenJob[] = [];
    const ended = nextIteration().then(() => {
      ending = undefined;
      return endJobs(database, jobs);
    });
    return { jobs, ended };
  };
  return async (job) => {
    ending ??= open();
    ending.jobs.push(job);
    await ending.ended;
  };
}

/** What the runs of a queue's jobs share. */
type Running = Options & { endJob: EndJob };

/** Records the end of a try. `failure` undefined: the job is done. */
async function recordEnd(
  { database, queue, endJob }: Running,
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
  await endJob(job);
}

/** A try of a job. `aborting` ends it. */
type Try = { job: TakenJob; attempt: Attempt<ScopedId>; aborting: AbortController };

function startTry(queue: QueueName, job: TakenJob): Try {
  const { knowledgeBaseId, id, tries } = job;
  const aborting = new AbortController();
  const isLastTry = tries > POLICIES[queue].retries;
  return { job, aborting, attempt: { payload: { knowledgeBaseId, id }, signal: aborting.signal, isLastTry } };
}

/** @throws the error of the job, or the reason why it may not run, or not any longer */
async function runTry(
  queue: QueueName,
  { job: { tries }, aborting }: Try,
  run: () => Promise<void>,
): Promise<void> {
  const { retries, tryMaxSeconds } = POLICIES[queue];
  if (tries > retries + 1) throw new Error('the worker of the last try has died');
  await withTimeout(run(), tryMaxSeconds * 1000, () => {
    aborting.abort(new Error(`the job has not ended within ${tryMaxSeconds} seconds`));
    throw aborting.signal.reason;
  });
}

type RunningJob = { ended: Promise<void>; handBack(reason: Error): Promise<void> };

/** Runs a job, renews its lease meanwhile, and records the result. */
function runJob(running: Running, started: Try, run: () => Promise<void>): RunningJob {
  const { database, queue, log } = running;
  const { job, aborting } = started;
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
    const failure = await runTry(queue, started, run).then(
      () => undefined,
      (error: unknown) => error,
    );
    clearInterval(renewing);
    if (!isLost) await logged(recordEnd(running, job, failure));
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

/** Runs jobs that were taken together: several are small. */
function runTogether(running: Running, jobs: TakenJob[]): RunningJob[] {
  const { queue, handle, together } = running;
  const tries = jobs.map((job) => startTry(queue, job));
  const attempts = tries.map(({ attempt }) => attempt);
  if (together === undefined || tries.length === 1)
    return tries.map((one) => runJob(running, one, () => handle(one.attempt)));
  const results = together.handle(attempts);
  return tries.map((one, i) => runJob(running, one, () => results[i] as Promise<void>)); // one for each attempt
}

async function handBackAll(running: Iterable<RunningJob>): Promise<void> {
  const handingBack = [...running].map(({ handBack }) => handBack(new Error('the worker stops')));
  await withTimeout(Promise.all(handingBack), HAND_BACK_MS, () => {});
}

/** Starts to take jobs, as many at the same time as `roundRobin` allows. */
export function startWorkers(options: Options): Workers {
  const { database, queue, roundRobin, pollIntervalMs, log, together } = options;
  const shared = { ...options, endJob: createEndJob(database) };
  const running = new Set<RunningJob>();
  /** The next jobs to run together, all of one account; none: there is no job, or no free worker. */
  const takeNext = async (): Promise<TakenJob[]> => {
    const ranges = roundRobin.nextAccounts();
    return ranges.length === 0 ? [] : await takeJobs(database, queue, { ranges, most: together?.most ?? 1 });
  };
  const untilEnded = async (begun: RunningJob): Promise<void> => {
    running.add(begun);
    await begun.ended;
    running.delete(begun);
  };
  const begin = async (jobs: TakenJob[], accountId: string): Promise<void> => {
    roundRobin.take(accountId);
    await Promise.all(runTogether(shared, jobs).map(untilEnded));
    roundRobin.leave(accountId);
    wake();
  };
  const { wake, stop: end } = repeatOrWake(async () => {
    try {
      for (let jobs = await takeNext(); jobs[0] !== undefined; jobs = await takeNext())
        void begin(jobs, jobs[0].accountId);
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
      await handBackAll(running);
    },
  };
}
