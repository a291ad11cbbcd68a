/**
 * Spares a server that fails, and those who would wait for it. After some failures one after another no call begins for
 * a while. Then one is tried; the others go on without. (Nygard 2018, "Release It!", 5.2)
 */
import { type ModelFailure, RateLimited } from './model-failures.ts';

/** Failures one after another. One alone may be chance; five queries without meaning hardly count. */
const FAILURES_MAX = 5;
/** The pause before the first trial; each that fails doubles it. */
const FIRST_PAUSE_MS = 1_000;
/** So meaning is back within a minute after the server is. */
const LONGEST_PAUSE_MS = 60_000;

/** A call that may begin. One of these is called when it has ended. */
export type BegunCall = { succeeded(): void; failed(failure: ModelFailure): void };

export type CircuitBreaker = {
  /** Why no call may begin now; undefined: one may. */
  refusal(): ModelFailure | undefined;
  /** Begins a call. Where none may begin, returns why. */
  begin(): BegunCall | ModelFailure;
};

/** `now`: milliseconds of a clock that never goes back. */
export function createCircuitBreaker(now: () => number = () => performance.now()): CircuitBreaker {
  let failures = 0;
  let pauseMs = FIRST_PAUSE_MS;
  /** Set while it is open. `trial`: the call that is tried. */
  let open: { untilMs: number; reason: ModelFailure; trial: object | undefined } | undefined;

  const refusal = () => {
    if (open === undefined || (open.trial === undefined && now() >= open.untilMs)) return undefined;
    return open.reason;
  };
  const openFor = (ms: number, reason: ModelFailure) => {
    open = { untilMs: now() + ms, reason, trial: undefined };
  };
  const fail = (failure: ModelFailure, isTrial: boolean) => {
    failures++;
    const askedMs = failure instanceof RateLimited ? (failure.afterMs ?? 0) : undefined;
    if (isTrial) pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    if (isTrial || askedMs !== undefined || failures >= FAILURES_MAX)
      openFor(Math.max(pauseMs, askedMs ?? 0), failure);
  };
  return {
    refusal,
    begin() {
      const refused = refusal();
      if (refused !== undefined) return refused;
      const call: BegunCall = {
        succeeded() {
          // A call of the time before does not show that the server has recovered.
          if (open !== undefined && open.trial !== call) return;
          [failures, pauseMs, open] = [0, FIRST_PAUSE_MS, undefined];
        },
        failed(failure) {
          if (open === undefined || open.trial === call) fail(failure, open !== undefined);
        },
      };
      if (open !== undefined) open.trial = call;
      return call;
    },
  };
}
