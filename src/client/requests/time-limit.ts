/** Combines time limits with the signal that a caller may pass. */
import { invalidArgument } from '../errors.ts';

/** The longest delay of a timer: longer ones fire after 1 ms. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * `deadline` aborts after `ms`. `either` aborts with the first of `deadline` and the caller's `signal`, and has its
 * reason.
 * @throws INVALID_ARGUMENT when `ms` is no number, or negative
 */
export function limitTime(
  signal: AbortSignal | undefined,
  ms: number,
): { deadline: AbortSignal; either: AbortSignal } {
  if (!(ms >= 0)) throw invalidArgument('timeoutMs', `A time must be a number of milliseconds, not ${ms}.`);
  const deadline = AbortSignal.timeout(Math.min(ms, LONGEST_MS));
  return { deadline, either: signal === undefined ? deadline : anyOf([signal, deadline]) };
}

/** `AbortSignal.any`, also for Node before 20.3 and Safari before 17.4, which do not have it. */
function anyOf(signals: AbortSignal[]): AbortSignal {
  if ('any' in AbortSignal) return AbortSignal.any(signals);
  const first = new AbortController();
  for (const signal of signals) {
    const abort = () => first.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true, signal: first.signal });
  }
  return first.signal;
}
