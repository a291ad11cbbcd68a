/** Time limits beside the signal that a caller may have given. */
import { invalidArgument } from './errors.ts';

/** More milliseconds than this a timer takes for 1. */
const LONGEST_MS = 2 ** 31 - 1;

/** `deadline` aborts after `ms`, `either` then or with the caller's `signal`, by whose reason. */
export function limitTime(
  signal: AbortSignal | undefined,
  ms: number,
): { deadline: AbortSignal; either: AbortSignal } {
  if (!(ms >= 0)) throw invalidArgument('timeoutMs', `A time must be a number of milliseconds, not ${ms}.`);
  const deadline = AbortSignal.timeout(Math.min(ms, LONGEST_MS));
  return { deadline, either: signal === undefined ? deadline : anyOf([signal, deadline]) };
}

/** AbortSignal.any, which the first versions of Node 20 do not have (it came with 20.3), nor Safari before 17.4. */
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
