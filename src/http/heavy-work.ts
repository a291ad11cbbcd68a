/**
 * Shares the event loop out for work that holds it: the parsing of a large body takes up to a tenth of a second, a page
 * of a thousand passages ten milliseconds. An account that asks for many of them would have nearly all of the loop.
 */
import { createTurns } from '../concurrency/turns.ts';
import type { Patience } from '../concurrency/waiting-line.ts';

/** Beside other accounts, the heavy work of one takes at most one in so many parts of the time. */
const PARTS = 6;
/** Long work is mostly PostgreSQL's. A longer pause would let the account's next request be refused. */
const PAUSE_MAX_MS = 500;

/** An account's turn for heavy work. */
export type HeavyTurn = {
  /** The work begins. */
  begin(): void;
  /** Gives the turn on, after a pause. What follows within the same turn of the event loop counts as part of the work. */
  end(): void;
};

export type HeavyWork = {
  /** Whether an owner's heavy work would have to wait for its turn. */
  isTaken(owner: string): boolean;
  /**
   * Resolves when the owner may do heavy work: at once while it is alone, or else one work after the other.
   * @throws what ends a wait: see `WaitingLine`
   */
  take(owner: string, patience: Patience): Promise<HeavyTurn>;
  /** Ends every wait by this error. */
  refuseAll(error: () => Error): void;
};

const FREE: HeavyTurn = { begin() {}, end() {} };

/** `countOwners`: how many owners use the service. */
export function createHeavyWork(countOwners: () => number): HeavyWork {
  const turns = createTurns();
  return {
    isTaken: turns.isTaken,
    async take(owner, patience) {
      if (countOwners() < 2) return FREE;
      await turns.take(owner, patience);
      let begunAtMs = Number.POSITIVE_INFINITY;
      const pause = () => {
        const tookMs = Math.max(0, performance.now() - begunAtMs);
        setTimeout(() => turns.leave(owner), Math.min(PAUSE_MAX_MS, (PARTS - 1) * tookMs)).unref();
      };
      return {
        begin() {
          begunAtMs = performance.now();
        },
        end: () => void setImmediate(pause),
      };
    },
    refuseAll: turns.refuseAll,
  };
}
