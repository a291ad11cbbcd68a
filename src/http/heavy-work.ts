/**
 * Shares the event loop out for work that holds it: the parsing of a large body takes up to a tenth of a second, a page
 * of a thousand passages ten milliseconds. An account that asks for many of them would have nearly all of the loop.
 */
import { createTurns } from '../concurrency/turns.ts';
import type { Patience } from '../concurrency/waiting-line.ts';

/** Beside other accounts, the heavy work of one takes at most one in so many parts of the time. */
const PARTS = 6;

export type HeavyWork = {
  /** Whether an owner's heavy work would have to wait for its turn. */
  isTaken(owner: string): boolean;
  /**
   * Resolves when the owner may do heavy work: at once while it is alone, or else one work after the other, with pauses.
   * @returns ends the work. What follows it at once, within the same turn of the event loop, counts as part of it.
   * @throws what ends a wait: see `WaitingLine`
   */
  begin(owner: string, patience: Patience): Promise<() => void>;
  /** Ends every wait by this error. */
  refuseAll(error: () => Error): void;
};

/** `countOwners`: how many owners use the service. */
export function createHeavyWork(countOwners: () => number): HeavyWork {
  const turns = createTurns();
  return {
    isTaken: turns.isTaken,
    async begin(owner, patience) {
      if (countOwners() < 2) return () => {};
      await turns.take(owner, patience);
      const begunAtMs = performance.now();
      const pause = () => {
        const tookMs = performance.now() - begunAtMs;
        setTimeout(() => turns.leave(owner), (PARTS - 1) * tookMs).unref();
      };
      return () => void setImmediate(pause);
    },
    refuseAll: turns.refuseAll,
  };
}
