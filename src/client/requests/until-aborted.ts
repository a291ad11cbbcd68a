/** Stops waiting as soon as a signal aborts. */
import { aborted } from '../errors.ts';

/** What `promise` gives. What it does goes on without its caller. @throws ABORTED as soon as the signal aborts */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  return await new Promise<T>((resolve, reject) => {
    const abort = () => reject(aborted(signal.reason));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
