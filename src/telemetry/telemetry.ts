/** What the service tells of its work to whoever watches it: metrics, traces, both, or nobody. */
import type { IncomingHttpHeaders } from 'node:http';
import type { DocumentErrorCode } from '../../generated/types.gen.ts';

/** What the service spends its time on. */
export type SpanName = 'searching' | 'reading' | 'storing';

/**
 * An answer by its names, of which there are few whatever clients send. `operation`: an operationId, `upload`, `livez`,
 * `readyz`, `metrics`, `refused` without a look at it for too much load, or `other` for every path that nothing has; `status` 499: the client hung up before its answer
 * was out (nginx's number for it).
 */
export type Answered = { operation: string; status: number };

/** How an import has ended. */
export type ImportOutcome =
  | { status: 'processed' }
  | { status: 'failed' | 'timeout'; errorCode: DocumentErrorCode };

/** Counts what has happened; nothing of it throws or takes time. */
export type Meter = {
  /** The answer is out, or its client gone. */
  requestEnded(answered: Answered & { seconds: number }): void;
  /** Well or not. */
  stepEnded(step: SpanName, seconds: number): void;
  /** So many imports have ended so; told after their commit. */
  importsEnded(outcome: ImportOutcome, count: number): void;
};

/** Goes along with what happens; what `run` gives or throws goes through. */
export type Trace = {
  request(headers: IncomingHttpHeaders, run: () => Promise<Answered>): Promise<void>;
  step<T>(step: SpanName, run: () => Promise<T>): Promise<T>;
};

/** A queue's jobs. */
export type JobFigures = {
  queue: string;
  /** Taken by nobody yet, or to be tried again. */
  waiting: number;
  /** By the database's clock; 0 where none waits. */
  oldestWaitingSeconds: number;
  /** Taken by a worker; as pg-boss has last counted them, which it does every few seconds while a server runs. */
  active: number;
};

/** What `/metrics` shows, and the token that opens it. */
export type Metrics = { token: string; expose(): Promise<{ type: string; text: string }> };

export type Telemetry = Trace & Pick<Meter, 'requestEnded' | 'importsEnded'>;

export const unmetered: Meter = { requestEnded() {}, stepEnded() {}, importsEnded() {} };

export const untraced: Trace = {
  request: async (_headers, run) => void (await run()),
  step: (_step, run) => run(),
};

export const createTelemetry = (meter: Meter, trace: Trace): Telemetry => ({
  request: trace.request,
  requestEnded: meter.requestEnded,
  importsEnded: meter.importsEnded,
  async step(step, run) {
    const startedAt = performance.now();
    try {
      return await trace.step(step, run);
    } finally {
      meter.stepEnded(step, (performance.now() - startedAt) / 1000);
    }
  },
});
