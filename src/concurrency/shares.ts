/**
 * Shares out something scarce (permits, threads, processes) between owners, who are mostly accounts. One owner alone may
 * have all of it; while another one is there, nobody holds more than half, rounded down, though one in any case. So whoever
 * comes later finds something free, or gets what is given back next.
 */
import { createWaitingLine, type Patience, type WaitingLine } from './waiting-line.ts';

/** An owner counts as there for this long after its last use, so that its next request finds something free as well. */
const PRESENT_MS = 1_000;

/**
 * What one owner holds, and its requests that wait: those that come back stand before those that are new. `servedAt`
 * counts what was given out before its last one.
 */
type Share = {
  held: number;
  servedAt: number;
  usedAtMs: number;
  returning: WaitingLine<void>;
  waiting: WaitingLine<void>;
};

/** How an owner waits. `isReturning`: it held one before, and goes on with the same work. */
export type ShareWait = Patience & { isReturning?: boolean };

export type Shares = {
  /**
   * Resolves once the owner holds one more; those of one owner are served in the order of coming.
   * @throws what ends a wait: see `WaitingLine`
   */
  take(owner: string, wait?: ShareWait): Promise<void>;
  /** Lets an owner count as there, who may want some soon. */
  greet(owner: string): void;
  /** Gives one back. */
  leave(owner: string): void;
  /** The new requests of an owner that wait. */
  waitingOf(owner: string): Pick<WaitingLine<void>, 'length' | 'first'> | undefined;
  /** How many owners are there. */
  ownerCount(): number;
  /** Ends every wait by this error. */
  refuseAll(error: () => Error): void;
};

const isWaiting = ({ returning, waiting }: Share): boolean => returning.length() + waiting.length() > 0;

/**
 * `count` of something. `onServed` is told of each one that an owner gets after a wait. Beside them there are `visitors`,
 * which only owners get that hold none: for what is held so long that whoever comes later cannot wait for it.
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
  /** To the owner that holds least; of several, to the one whose last turn is the longest ago. */
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
  /** An owner may wait while something is free, because another one was there just now. No event tells when that ends. */
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
      // Something may be free that others of the owner's were held back from until now.
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
