/**
 * Divides the event loop between accounts for work that blocks it: to parse a large body takes up to 100 ms, a page of
 * a thousand passages 10 ms. Otherwise one account with many such requests would take nearly the whole loop.
 */
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts';
import type { WaitLimits } from '../../concurrency/wait-queue.ts';

/** While several accounts use the service, the heavy work of one takes at most this share of the time. */
const SHARE = 1 / 6;
/**
 * The longest pause. Work that takes longer mostly waits for PostgreSQL, and holds up no other request. After a longer
 * pause, the account's next request would already have been refused.
 */
const PAUSE_MAX_MS = 500;

/** An account's time slot for heavy work. */
export type HeavySlot = {
  /** Call it when the work begins. */
  begin(): void;
  /**
   * Passes the slot on after a pause. The rest of the current event loop iteration still counts as part of the work.
   */
  end(): void;
};

export type HeavyWork = {
  /** Whether heavy work of the owner would have to wait for a slot. */
  isTaken(owner: string): boolean;
  /**
   * Resolves when the owner may do heavy work: immediately while it is the only owner, else after its earlier work.
   * @throws the error that ends a wait: see `WaitQueue`
   */
  take(owner: string, limits: WaitLimits): Promise<HeavySlot>;
  /** Ends every wait with this error. */
  rejectAll(error: () => Error): void;
};

const FREE: HeavySlot = { begin() {}, end() {} };

/** Creates the slots for heavy work. `countOwners` returns how many owners use the service. */
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
