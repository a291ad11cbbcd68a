/**
 * Shares the event loop out for work that holds it. The parsing of a large body takes up to a tenth of a second: whoever
 * sends many of them would have nearly all of the loop.
 */
import { createShares } from './shares.ts';
import type { Patience } from './waiting-line.ts';

/** While several owners are there, heavy work takes one in so many parts of the time. */
const PARTS = 4;

export type HeavyWork = {
  /**
   * Does work that holds the event loop, when it is the owner's turn. What follows at once, within the same turn of the
   * loop, counts as part of it.
   * @throws what ends a wait: see `WaitingLine`
   */
  run<T>(owner: string, patience: Patience, act: () => T): Promise<T>;
  /** Ends every wait by this error. */
  refuseAll(error: () => Error): void;
};

/** Work that is done one after the other, by turns of its owners; `countOwners`: how many use the service at all. */
export function createHeavyWork(countOwners: () => number): HeavyWork {
  const turns = createShares(1);
  return {
    async run(owner, patience, act) {
      await turns.take(owner, patience);
      const startedAtMs = performance.now();
      setImmediate(() => {
        const pauseMs = countOwners() > 1 ? (PARTS - 1) * (performance.now() - startedAtMs) : 0;
        setTimeout(() => turns.leave(owner), pauseMs).unref();
      });
      return act();
    },
    refuseAll: turns.refuseAll,
  };
}
