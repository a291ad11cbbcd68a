/**
 * Shares the event loop out for work that holds it: the parsing of a large body takes up to a tenth of a second, a page
 * of a thousand passages ten milliseconds. Without this, an account with many such requests would have nearly all of
 * the loop.
 */
import { createKeyedMutex } from '../concurrency/keyed-mutex.ts';
import type { WaitLimits } from '../concurrency/wait-queue.ts';

/** While other accounts use the service, the heavy work of one account takes at most this share of the time. */
const SHARE = 1 / 6;
/**
 * The longest pause: most of a long work is PostgreSQL's, and after a longer pause the account's next request would be
 * refused.
 */
const PAUSE_MAX_MS = 500;

/** An account's turn for heavy work. */
export type HeavyTurn = {
  /** The work begins. */
  begin(): void;
  /**
   * Passes the turn on after a pause. Whatever runs within the same turn of the event loop counts as part of the work.
   */
  end(): void;
};

export type HeavyWork = {
  /** Whether heavy work of the owner would have to wait for its turn. */
  isTaken(owner: string): boolean;
  /**
   * Resolves when the owner may do heavy work: at once while it is the only owner, or else after its earlier work.
   * @throws the error that ends a wait: see `WaitQueue`
   */
  take(owner: string, limits: WaitLimits): Promise<HeavyTurn>;
  /** Ends every wait with this error. */
  rejectAll(error: () => Error): void;
};

const FREE: HeavyTurn = { begin() {}, end() {} };

/** Makes the turns for heavy work. `countOwners` returns how many owners use the service. */
export function createHeavyWork(countOwners: () => number): HeavyWork {
  const mutex = createKeyedMutex();
  return {
    isTaken: mutex.isLocked,
    async take(owner, limits) {
      if (countOwners() < 2) return FREE;
      await mutex.lock(owner, limits);
      let begunAtMs = Number.POSITIVE_INFINITY;
      const pause = () => {
        const tookMs = Math.max(0, performance.now() - begunAtMs);
        setTimeout(() => mutex.unlock(owner), Math.min(PAUSE_MAX_MS, (1 / SHARE - 1) * tookMs)).unref();
      };
      return {
        begin() {
          begunAtMs = performance.now();
        },
        end: () => void setImmediate(pause),
      };
    },
    rejectAll: mutex.rejectAll,
  };
}
