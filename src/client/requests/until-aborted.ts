/** Stops waiting as soon as a signal aborts. */
import { aborted } from '../errors.ts';

/** Resolves like `promise`, whose work is not cancelled. @throws ABORTED as soon as the signal aborts */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  return await new Promise<T>((resolve, reject) => {
    const abort = () => reject(aborted(signal.reason));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
