/**
 * Divides the event loop between accounts for work that blocks it: to parse a large body takes up to 100 ms, a page of
 * a thousand passages 10 ms. Otherwise one account with many such requests would take nearly the whole loop.
 */
import { availableParallelism } from 'node:os';
import { createWaitQueue, type WaitLimits, type WaitQueue } from '../../concurrency/wait-queue.ts';

/** While several accounts use the service, the heavy work of one takes at most this share of the time. */
const SHARE = 1 / 6;
/**
 * The longest pause. Work that takes longer mostly waits for PostgreSQL, and holds up no other request. After a longer
 * pause, the account's next request would already have been refused.
 */
const PAUSE_MAX_MS = 500;
/**
 * Heavy work of an account at a time while it is the only one: the longest queries take a second of PostgreSQL's
 * processors each. More at a time would end hardly earlier, and an account that comes back would find each processor
 * shared by many of them. One more than processors, so that these have work while an answer is made.
 */
const ALONE_MAX = availableParallelism() + 1;

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
   * Resolves when the owner may do heavy work: after its earlier work, or while it is the only owner, as soon as fewer
   * than ALONE_MAX do theirs.
   * @throws the error that ends a wait: see `WaitQueue`
   */
  take(owner: string, limits: WaitLimits): Promise<HeavySlot>;
  /** Ends every wait with this error. */
  rejectAll(error: () => Error): void;
};

/** An owner's heavy work: how many slots it holds, and the work that waits for one. */
type OwnerWork = { held: number; waiting: WaitQueue<void> };

/** Creates the slots for heavy work. `countOwners` returns how many owners use the service. */
export function createHeavyWork(countOwners: () => number): HeavyWork {
  const owners = new Map<string, OwnerWork>();
  const isFull = ({ held }: OwnerWork): boolean => held >= (countOwners() < 2 ? ALONE_MAX : 1);
  const stateOf = (owner: string): OwnerWork => {
    const state = owners.get(owner) ?? { held: 0, waiting: createWaitQueue() };
    owners.set(owner, state);
    return state;
  };
  const release = (owner: string, state: OwnerWork) => {
    state.held--;
    while (state.waiting.first() && !isFull(state)) {
      state.held++;
      state.waiting.serveFirst();
    }
    if (state.held === 0) owners.delete(owner);
  };
  return {
    isTaken(owner) {
      const state = owners.get(owner);
      return state !== undefined && isFull(state);
    },
    async take(owner, limits) {
      const state = stateOf(owner);
      if (isFull(state)) await state.waiting.wait(undefined, limits);
      else state.held++;
      let begunAtMs = Number.POSITIVE_INFINITY;
      const pause = () => {
        const tookMs = countOwners() < 2 ? 0 : Math.max(0, performance.now() - begunAtMs);
        const end = () => release(owner, state);
        if (tookMs === 0) end();
        else setTimeout(end, Math.min(PAUSE_MAX_MS, (1 / SHARE - 1) * tookMs)).unref();
      };
      return {
        begin() {
          begunAtMs = performance.now();
        },
        end: () => void setImmediate(pause),
      };
    },
    rejectAll(error) {
      for (const { waiting } of owners.values()) waiting.rejectAll(error);
    },
  };
}
