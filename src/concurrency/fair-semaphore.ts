/**
 * Divides a scarce resource (permits, threads, processes) between owners, mostly accounts. A single owner may have all
 * of it. While another one is present, no owner gets more than half, rounded down, but at least one. So a newcomer
 * finds something free, or gets what is returned next.
 */
import { createWaitingLine, type Patience, type WaitingLine } from './wait-queue.ts';

/** An owner counts as present for this long after its last use, so that its next request finds something free too. */
const PRESENT_MS = 1_000;

/**
 * An owner's holdings and its waiting requests: returning ones are served before new ones. `servedAt` is the running
 * number of its last turn.
 */
type Share = {
  held: number;
  servedAt: number;
  usedAtMs: number;
  returning: WaitingLine<void>;
  waiting: WaitingLine<void>;
};

/** How an owner waits. `isReturning`: it held one before, and continues the same work. */
export type ShareWait = Patience & { isReturning?: boolean };

export type Shares = {
  /**
   * Resolves once the owner holds one more; requests of one owner are served in order of arrival.
   * @throws the reason why a wait ended: see `WaitingLine`
   */
  take(owner: string, wait?: ShareWait): Promise<void>;
  /** Marks an owner as present that may need some soon. */
  greet(owner: string): void;
  /** Returns one that the owner holds. */
  leave(owner: string): void;
  /** The waiting new requests of an owner. */
  waitingOf(owner: string): Pick<WaitingLine<void>, 'length' | 'first'> | undefined;
  /** How many owners are present. */
  ownerCount(): number;
  /** Rejects every wait with this error. */
  refuseAll(error: () => Error): void;
};

const isWaiting = ({ returning, waiting }: Share): boolean => returning.length() + waiting.length() > 0;

/**
 * Shares `count` of a resource. `onServed` is called for each one that an owner gets after a wait. In addition there
 * are `visitors` for owners that hold none: they are for resources held so long that a newcomer cannot wait.
 */
export function createShares(
  count: number,
  onServed: (owner: string) => void = () => {},
  visitors = 0,
): Shares {
  const shares = new Map<string, Share>();
  const half = Math.max(1, Math.floor(count / 2));
  let [free, served] = [count, 0];
  let recheck: NodeJS.Timeout | undefined;

  const shareOf = (owner: string): Share => {
    let share = shares.get(owner);
    if (share === undefined) {
      const [returning, waiting] = [createWaitingLine<void>(), createWaitingLine<void>()];
      share = { held: 0, servedAt: 0, usedAtMs: 0, returning, waiting };
      shares.set(owner, share);
    }
    share.usedAtMs = performance.now();
    return share;
  };
  const isThere = (share: Share, nowMs: number): boolean =>
    share.held > 0 || isWaiting(share) || nowMs - share.usedAtMs < PRESENT_MS;
  const forgetAbsent = () => {
    if (shares.size < 2) return;
    const nowMs = performance.now();
    for (const [owner, share] of shares) if (!isThere(share, nowMs)) shares.delete(owner);
  };
  const mayHoldMore = ({ held }: Share): boolean =>
    held === 0 ? free > -visitors : free > 0 && held < (shares.size > 1 ? half : count);
  const hold = (share: Share) => {
    free--;
    share.held++;
    share.servedAt = ++served;
  };
  /** Serves the owner that holds least; among several, the one whose last turn is the longest ago. */
  const serveNext = (): boolean => {
    let next: [owner: string, share: Share] | undefined;
    for (const [owner, share] of shares) {
      if (!isWaiting(share) || !mayHoldMore(share)) continue;
      const least = next?.[1];
      const isLess =
        share.held === least?.held ? share.servedAt < least.servedAt : share.held < (least?.held ?? count);
      if (isLess) next = [owner, share];
    }
    if (next === undefined) return false;
    const [owner, share] = next;
    hold(share);
    onServed(owner);
    (share.returning.length() > 0 ? share.returning : share.waiting).serveFirst();
    return true;
  };
  const serveAll = () => {
    forgetAbsent();
    while (serveNext());
    recheckHeldBack();
  };
  /**
   * An owner may wait while something is free, because another one was present until just now. No event signals its
   * absence, hence the timer.
   */
  const recheckHeldBack = () => {
    if (recheck !== undefined || free <= 0 || !shares.values().some(isWaiting)) return;
    recheck = setTimeout(() => {
      recheck = undefined;
      serveAll();
    }, PRESENT_MS).unref();
  };

  return {
    async take(owner, { isReturning = false, ...patience } = {}) {
      const share = shareOf(owner);
      forgetAbsent();
      if (!isWaiting(share) && mayHoldMore(share)) return hold(share);
      const wait = (isReturning ? share.returning : share.waiting).join(undefined, patience);
      // Something may be free that the owner's other requests could not take until now.
      serveAll();
      await wait;
    },
    greet(owner) {
      shareOf(owner);
      forgetAbsent();
    },
    leave(owner) {
      free++;
      shareOf(owner).held--;
      serveAll();
    },
    waitingOf: (owner) => shares.get(owner)?.waiting,
    ownerCount: () => shares.size,
    refuseAll(error) {
      for (const { returning, waiting } of shares.values()) {
        returning.refuseAll(error);
        waiting.refuseAll(error);
      }
    },
  };
}
