/** Calls a function that may hang, with a time-out. */
import { withTimeout } from './timeout.ts';

/**
 * Returns a function that calls `act` and waits at most `timeoutMs`. Calls during a running one share its result:
 * repeated calls must not use up all connections to a database that hangs.
 * @throws the error of `act`, or a time-out
 */
export function singleFlight<T>(act: () => Promise<T>, timeoutMs: number): () => Promise<T> {
  let running: Promise<T> | undefined;
  return async () => {
    running ??= act().finally(() => {
      running = undefined;
    });
    return await withTimeout(running, timeoutMs, () => {
      throw new Error(`no answer within ${timeoutMs} ms`);
    });
  };
}
