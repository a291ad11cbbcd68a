/**
 * Bounds how many requests work at once, and shares the permits out between accounts. Imports wait for their turn; other
 * requests are refused at once when they could not be answered soon. Under any load the service does as much as it can,
 * and one account hardly notices another one's load.
 */

import { createShares, type Shares } from '../concurrency/shares.ts';
import type { Client, WaitBudget } from '../concurrency/waiting-line.ts';
import { overloaded, serverEnding } from '../errors.ts';
import { createLane, type LaneName } from './admission-lanes.ts';
import { type BodyMemory, createBodyMemory, type HeldBody } from './body-memory.ts';
import { createHeavyWork, type HeavyTurn, type HeavyWork } from './heavy-work.ts';

/** An import may take seconds. The rest of the permits is left to requests that take milliseconds. */
const IMPORT_SHARE = 3 / 4;
/** When the server is about to end: an answer has to reach its client before the connections close. */
const LAST_WAIT_MS = 2_000;
/** Bodies that are held in memory, four of the largest legal ones. What is made of a text takes several times as much. */
const BODIES_MAX_BYTES = 48 * 1024 ** 2;

/** Who wants to work: the API key of a request, whatever is said there, and who waits for the answer. */
export type Visitor = { key: string; client: Client };

/** A request's permit to work. */
export type Permit = {
  /** What its waits together may still take. Waits to have the permit back are not counted: the work is done by then. */
  budget: WaitBudget;
  /** Runs what takes time but no work of ours: a slow client's body, the end of an import. Others work meanwhile. */
  withoutPermit<T>(act: () => Promise<T>): Promise<T>;
  /**
   * The memory for a large body, which counts as it arrives, until `leave`. To be waited for without the permit.
   * @throws SERVICE_UNAVAILABLE when too many large bodies of its account's arrive
   */
  body(): HeldBody;
  /** Does work that holds the event loop, in the account's turn for such work: see `HeavyWork`. */
  heavily<T>(act: () => T | Promise<T>): Promise<T>;
  leave(): void;
};

export type Admission = {
  /** Whether a further request with this key would be refused. */
  isFull(lane: LaneName, key: string): boolean;
  /**
   * Resolves when it is the request's turn.
   * @throws SERVICE_UNAVAILABLE when too many of its account's wait, or it has waited too long
   */
  enter(lane: LaneName, visitor: Visitor): Promise<Permit>;
  /** From now on no request waits for long. */
  hurry(): void;
};

/** Whose request it is: an account's, or anybody's whose key is not known. */
type Owned = { owner: string; client: Client; budget: WaitBudget };

/** How a request gets a permit, and gives it back. */
type Way = { waitMaxMs(): number; take(isReturning: boolean): Promise<void>; leave(): void };

/** A request of imports needs one of theirs and a permit; it waits for no longer than `waitMaxMs` for both. */
function createWay(shares: Shares[], { owner, client, budget }: Owned, waitMaxMs: () => number): Way {
  const leave = (taken: Shares[]) => {
    for (const share of taken) share.leave(owner);
  };
  return {
    waitMaxMs,
    async take(isReturning) {
      const untilMs = performance.now() + waitMaxMs();
      const taken: Shares[] = [];
      try {
        for (const share of shares) {
          const patience = { client, isReturning, waitMaxMs: untilMs - performance.now() };
          await share.take(owner, isReturning ? patience : { ...patience, budget });
          taken.push(share);
        }
      } catch (error) {
        leave(taken);
        throw error;
      }
    },
    leave: () => leave(shares),
  };
}

type Means = { memory: BodyMemory; heavy: HeavyWork };

/** What a request holds: its permit, and memory for its body. */
function createPermit(way: Way, { memory, heavy }: Means, { owner, client, budget }: Owned): Permit {
  let isHeld = true;
  let body: HeldBody | undefined;
  const giveUp = () => {
    if (isHeld) way.leave();
    isHeld = false;
  };
  const patience = () => ({ client, budget, waitMaxMs: way.waitMaxMs() });
  const withoutPermit: Permit['withoutPermit'] = async (act) => {
    // Within another call the permit is given up already, and would be taken twice.
    if (!isHeld) return await act();
    giveUp();
    try {
      return await act();
    } finally {
      await way.take(true);
      isHeld = true;
    }
  };
  return {
    budget,
    withoutPermit,
    body() {
      body ??= memory.begin(owner, patience());
      return body;
    },
    async heavily(act) {
      let turn: HeavyTurn | undefined;
      const take = async () => {
        turn = await heavy.take(owner, patience());
      };
      try {
        // A request that has its turn may still get no permit again.
        await (heavy.isTaken(owner) ? withoutPermit(take) : take());
        turn?.begin();
        return await act();
      } finally {
        turn?.end();
      }
    },
    leave() {
      giveUp();
      body?.release();
    },
  };
}

/** `count` permits, and memory for bodies; `ownerOf` names the account of a key at once. */
export function createAdmission(count: number, ownerOf: (key: string) => string): Admission {
  const permits = createShares(count, (owner) => lanes.others.served(owner));
  const imports = createShares(Math.max(1, Math.floor(count * IMPORT_SHARE)));
  const lanes = {
    imports: createLane(imports, { isPatient: true }),
    others: createLane(permits, { isPatient: false }),
  };
  const ways = { imports: [imports, permits], others: [permits] };
  const memory = createBodyMemory(BODIES_MAX_BYTES);
  const heavy = createHeavyWork(permits.ownerCount);

  return {
    isFull: (name, key) => lanes[name].isFull(ownerOf(key)),
    async enter(name, { key, client }) {
      const lane = lanes[name];
      const owned = { owner: ownerOf(key), client, budget: { leftMs: lane.waitMaxMs } };
      if (lane.isFull(owned.owner)) throw overloaded();
      const way = createWay(ways[name], owned, () => lane.waitMaxMs);
      lane.joined(owned.owner);
      imports.greet(owned.owner);
      await way.take(false);
      return createPermit(way, { memory, heavy }, owned);
    },
    hurry() {
      for (const lane of Object.values(lanes)) lane.waitMaxMs = LAST_WAIT_MS;
      const end = () => {
        for (const { refuseAll } of [permits, imports, memory, heavy]) refuseAll(serverEnding);
      };
      setTimeout(end, LAST_WAIT_MS).unref();
    },
  };
}
