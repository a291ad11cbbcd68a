/** Telemetry of the service's work: metrics, traces, both, or neither. */
import type { IncomingHttpHeaders } from 'node:http';
import type { DocumentErrorCode } from '../../generated/types.gen.ts';

/** The measured steps of the service's work. */
export type SpanName = 'searching' | 'reading' | 'storing';

/**
 * An answer's labels. Their values are few, whatever clients send.
 * `operation`: an operationId, `upload`, `livez`, `readyz`, `metrics`, `refused` (load shedding, before routing), or
 * `other` for every unknown path.
 * `status` 499: the client hung up before its answer was complete (nginx's number for it).
 */
export type Answered = { operation: string; status: number };

/** The end of an import. */
export type ImportOutcome =
  | { status: 'processed' }
  | { status: 'failed' | 'timeout'; errorCode: DocumentErrorCode };

/** Counts events; its methods neither throw nor take time. */
export type Meter = {
  /** The answer is complete, or its client has hung up. */
  requestEnded(answered: Answered & { seconds: number }): void;
  /** Called after success and failure. */
  stepEnded(step: SpanName, seconds: number): void;
  /** Called with the number of imports that ended this way, after their commit. */
  importsEnded(outcome: ImportOutcome, count: number): void;
};

/** Traces work; the result or error of `run` passes through. */
export type Trace = {
  request(headers: IncomingHttpHeaders, run: () => Promise<Answered>): Promise<void>;
  step<T>(step: SpanName, run: () => Promise<T>): Promise<T>;
};

/** A queue's jobs. */
export type JobFigures = {
  queue: string;
  /** Not taken yet, or to be tried again. */
  waiting: number;
  /** By the database's clock; 0 where none waits. */
  oldestWaitingSeconds: number;
  /** Taken by a worker, as last counted by pg-boss, every few seconds while a server runs. */
  active: number;
};

/** The content of `/metrics`, and the token that opens it. */
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
