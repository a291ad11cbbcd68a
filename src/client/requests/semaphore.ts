/** Bounds how many calls are in progress at once. The others wait for their turn, in the order of arrival. */
import { aborted } from '../errors.ts';

export type Semaphore = {
  /** Whether calls wait for their turn. */
  hasWaiters(): boolean;
  /** @throws ABORTED when the signal aborts before the call's turn; otherwise what `act` throws */
  run<T>(act: () => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
};

/** A semaphore that lets `permits` calls run at once. */
export function createSemaphore(permits: number): Semaphore {
  let free = permits;
  const waiting: (() => void)[] = [];

  const wait = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(aborted(signal?.reason));
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(begin);
    });
  const enter = async (signal: AbortSignal | undefined) => {
    if (signal?.aborted) throw aborted(signal.reason);
    if (free === 0) return await wait(signal);
    free--;
  };
  return {
    hasWaiters: () => waiting.length > 0,
    async run(act, signal) {
      await enter(signal);
      try {
        return await act();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free++;
        else next();
      }
    },
  };
}
