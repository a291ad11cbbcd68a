/** Bounds how many calls are under way at once; the others wait for their turn, in the order of coming. */
import { aborted } from './errors.ts';

export type Semaphore = {
  /** Whether calls wait for their turn. */
  hasWaiters(): boolean;
  /** @throws ABORTED when the signal aborts before it is the call's turn; else what `act` throws */
  run<T>(act: () => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
};

/** Lets `width` calls through at once. */
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
