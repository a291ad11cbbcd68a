/** A mutex for each name: work under one name runs in sequence, work under different names in parallel. */
import { createWaitQueue, type WaitLimits, type WaitQueue } from './wait-queue.ts';

export type KeyedMutex = {
  /** Whether work under this name is running. */
  isLocked(name: string): boolean;
  /**
   * Resolves when the next work under this name may begin.
   * @throws the reason why a wait ended: see `WaitQueue`
   */
  lock(name: string, limits: WaitLimits): Promise<void>;
  /** Ends the running work under this name. */
  unlock(name: string): void;
  /** Rejects every wait with this error. */
  rejectAll(error: () => Error): void;
};

export function createKeyedMutex(): KeyedMutex {
  /** The wait queues of the names with running work. */
  const queues = new Map<string, WaitQueue<void>>();
  return {
    isLocked: (name) => queues.has(name),
    async lock(name, limits) {
      const queue = queues.get(name);
      if (queue) await queue.wait(undefined, limits);
      else queues.set(name, createWaitQueue());
    },
    unlock(name) {
      const queue = queues.get(name);
      if (queue?.first()) queue.serveFirst();
      else queues.delete(name);
    },
    rejectAll(error) {
      for (const queue of queues.values()) queue.rejectAll(error);
    },
  };
}
