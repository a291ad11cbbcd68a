/**
 * A semaphore that divides its permits fairly between owners, mostly accounts. A permit stands for a scarce resource: a
 * thread, a process, a request in work. A single owner may have all permits. While several owners are present, no owner
 * gets more than half of them, rounded down, but at least one. So a new owner finds a free permit, or gets the next one
 * that is released.
 */
import { createWaitQueue, type WaitLimits, type WaitQueue } from './wait-queue.ts';

/** An owner counts as present for this long after its last use, so that its next request finds a free permit too. */
const PRESENT_MS = 1_000;

/**
 * An owner's permits and its waiting requests: `returning` ones are served before new ones. `servedAt` orders the
 * owners by the time when they last got a permit.
 */
type OwnerState = {
  held: number;
  servedAt: number;
  usedAtMs: number;
  returning: WaitQueue<void>;
  waiting: WaitQueue<void>;
};

/** How an owner waits. `isReturning`: it held a permit before, and continues the same work. */
export type AcquireOptions = WaitLimits & { isReturning?: boolean };

export type FairSemaphore = {
  /**
   * Resolves once the owner holds one more permit. Requests of one owner are served in order of arrival.
   * @throws the reason why a wait ended: see `WaitQueue`
   */
  acquire(owner: string, options?: AcquireOptions): Promise<void>;
  /** Makes an owner count as present, because it may need a permit soon. */
  markPresent(owner: string): void;
  /** Returns a permit of the owner. */
  release(owner: string): void;
  /** The waiting new requests of an owner. */
  queueOf(owner: string): Pick<WaitQueue<void>, 'length' | 'first'> | undefined;
  /** The number of present owners. */
  ownerCount(): number;
  /** Rejects every wait with this error. */
  rejectAll(error: () => Error): void;
};

const isWaiting = ({ returning, waiting }: OwnerState): boolean => returning.length() + waiting.length() > 0;

/** The present owners, and the permits that they hold. `reserve`: further permits for owners that hold none. */
function createOwners(count: number, reserve: number) {
  const owners = new Map<string, OwnerState>();
  const half = Math.max(1, Math.floor(count / 2));
  let [free, served] = [count, 0];
  const isPresent = (state: OwnerState, nowMs: number): boolean =>
    state.held > 0 || isWaiting(state) || nowMs - state.usedAtMs < PRESENT_MS;
  return {
    owners,
    hasFree: () => free > 0,
    /** Its owner is present from now on. */
    stateOf(owner: string): OwnerState {
      let state = owners.get(owner);
      if (state === undefined) {
        const [returning, waiting] = [createWaitQueue<void>(), createWaitQueue<void>()];
        state = { held: 0, servedAt: 0, usedAtMs: 0, returning, waiting };
        owners.set(owner, state);
      }
      state.usedAtMs = performance.now();
      return state;
    },
    forgetAbsent() {
      if (owners.size < 2) return;
      const nowMs = performance.now();
      for (const [owner, state] of owners) if (!isPresent(state, nowMs)) owners.delete(owner);
    },
    mayHoldMore: ({ held }: OwnerState): boolean =>
      held === 0 ? free > -reserve : free > 0 && held < (owners.size > 1 ? half : count),
    hold(state: OwnerState) {
      free--;
      state.held++;
      state.servedAt = ++served;
    },
    giveBack(state: OwnerState) {
      free++;
      state.held--;
    },
  };
}

type Owners = ReturnType<typeof createOwners>;

/** The waiting owner with the fewest permits; among equals, the owner served least recently. */
function findNext({ owners, mayHoldMore }: Owners): [owner: string, state: OwnerState] | undefined {
  let next: [owner: string, state: OwnerState] | undefined;
  for (const [owner, state] of owners) {
    if (!isWaiting(state) || !mayHoldMore(state)) continue;
    const least = next?.[1];
    const isLess =
      state.held === least?.held
        ? state.servedAt < least.servedAt
        : state.held < (least?.held ?? Number.POSITIVE_INFINITY);
    if (isLess) next = [owner, state];
  }
  return next;
}

/** Creates the function that gives free permits to those who wait, as long as there are both. */
function createServeAll(all: Owners, onServed: (owner: string) => void): () => void {
  let recheck: NodeJS.Timeout | undefined;
  const serveNext = (): boolean => {
    const next = findNext(all);
    if (next === undefined) return false;
    const [owner, state] = next;
    all.hold(state);
    onServed(owner);
    (state.returning.length() > 0 ? state.returning : state.waiting).serveFirst();
    return true;
  };
  const serveAll = () => {
    all.forgetAbsent();
    while (serveNext());
    recheckHeldBack();
  };
  /**
   * An owner may wait although a permit is free, because another owner was present until just now. No event signals
   * that the other owner has gone, hence the timer.
   */
  const recheckHeldBack = () => {
    if (recheck !== undefined || !all.hasFree() || !all.owners.values().some(isWaiting)) return;
    recheck = setTimeout(() => {
      recheck = undefined;
      serveAll();
    }, PRESENT_MS).unref();
  };
  return serveAll;
}

/**
 * Creates a semaphore of `count` permits. `onServed` is called for each permit that an owner gets after a wait. In
 * addition there are `reserve` permits for owners that hold none. They are for permits that are held for so long that a
 * new owner cannot wait for one.
 */
export function createFairSemaphore(
  count: number,
  onServed: (owner: string) => void = () => {},
  reserve = 0,
): FairSemaphore {
  const all = createOwners(count, reserve);
  const serveAll = createServeAll(all, onServed);
  return {
    async acquire(owner, { isReturning = false, ...limits } = {}) {
      const state = all.stateOf(owner);
      all.forgetAbsent();
      if (!isWaiting(state) && all.mayHoldMore(state)) return all.hold(state);
      const wait = (isReturning ? state.returning : state.waiting).wait(undefined, limits);
      // A permit may be free now that earlier requests of this owner could not get.
      serveAll();
      await wait;
    },
    markPresent(owner) {
      all.stateOf(owner);
      all.forgetAbsent();
    },
    release(owner) {
      all.giveBack(all.stateOf(owner));
      serveAll();
    },
    queueOf: (owner) => all.owners.get(owner)?.waiting,
    ownerCount: () => all.owners.size,
    rejectAll(error) {
      for (const { returning, waiting } of all.owners.values()) {
        returning.rejectAll(error);
        waiting.rejectAll(error);
      }
    },
  };
}
