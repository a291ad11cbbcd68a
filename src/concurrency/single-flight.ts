/** Calls a function that may not answer, with a time-out. */
import { withTimeout } from '../timeout.ts';

/**
 * Returns a function that calls `ask` and waits at most `timeoutMs`. Calls during a running one share its result:
 * repeated calls must not fill the pool of a database that hangs.
 * @throws the error of `ask`, or a time-out
 */
export function singleFlight<T>(ask: () => Promise<T>, timeoutMs: number): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return async () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return await withTimeout(asking, timeoutMs, () => {
      throw new Error(`no answer within ${timeoutMs} ms`);
    });
  };
}
