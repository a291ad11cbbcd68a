/**
 * Admission control: bounds how many requests work at once, and divides the permits between accounts. Imports wait for
 * their turn. Other requests are refused immediately when they would wait too long. So throughput stays high under any
 * load, and the load of one account hardly slows the others.
 */

import { createFairSemaphore, type FairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { type Client, type RemainingWait, SHUTDOWN_WAIT_MAX_MS } from '../../concurrency/wait-queue.ts';
import { overloaded, serverShuttingDown } from '../../terms/errors.ts';
import type { LaneName } from './admission-lanes.ts';
import { type BodyMemory, createBodyMemory, type HeldBody } from './body-memory.ts';
import { createHeavyWork, type HeavySlot, type HeavyWork } from './heavy-work.ts';
import { createLane } from './load-shedding.ts';

/**
 * Imports may hold this share of the permits, since an import may take seconds. The rest is left to requests that take
 * milliseconds.
 */
const IMPORT_SHARE = 3 / 4;
/**
 * Further permits for accounts that hold none. While another account uses all permits for its longest queries, each of
 * these takes a second: an account that has been away would wait for the first of them to end.
 */
const RESERVE = 1;
/**
 * The permits of look-ups. Together they take one connection, so their number is bounded by what they take of the event
 * loop: another account's request waits for some milliseconds until these are answered.
 */
const LOOK_UPS_MAX = 32;
/**
 * Memory for request bodies: four of the largest legal ones. The analysis of a text takes several times as much.
 */
const BODIES_MAX_BYTES = 48 * 1024 ** 2;

/** The sender of a request: its API key, valid or not, and the client that waits for the answer. */
export type PermitRequest = { key: string; client: Client };

/** A request's permit to work. */
export type Permit = {
  /**
   * The time left for all waits of the request together. The wait to get its permit back does not count: the work is
   * done by then.
   */
  remainingWait: RemainingWait;
  /**
   * Releases the permit while `act` runs, so that other requests work. Use it to wait for something outside this
   * process: a slow client's body, the end of an import.
   */
  withoutPermit<T>(act: () => Promise<T>): Promise<T>;
  /**
   * The memory for a large body. Arrived bytes count until `release`. Wait for memory without the permit.
   * @throws SERVICE_UNAVAILABLE when too many large bodies of the account arrive
   */
  body(): HeldBody;
  /** Runs work that blocks the event loop, when the account has a slot for such work: see `HeavyWork`. */
  runHeavy<T>(act: () => T | Promise<T>): Promise<T>;
  release(): void;
};

export type Admission = {
  /** Whether another request with this key would be refused. */
  isFull(lane: LaneName, key: string): boolean;
  /**
   * Resolves when the request has its permit.
   * @throws SERVICE_UNAVAILABLE when too many requests of the account wait, or this one has waited too long
   */
  admit(lane: LaneName, request: PermitRequest): Promise<Permit>;
  /** From now on no request waits for longer than SHUTDOWN_WAIT_MAX_MS. */
  shortenWaits(): void;
};

/** A request and the owner of its permit: an account id, or `''` for all unknown keys together. */
type OwnedRequest = { owner: string; client: Client; remainingWait: RemainingWait };

/** How one request acquires and releases its permits. */
type PermitAccess = { waitMaxMs(): number; acquire(isReturning: boolean): Promise<void>; release(): void };

/** An import needs an import permit and a general one. It waits at most `waitMaxMs` for both together. */
function createPermitAccess(
  semaphores: FairSemaphore[],
  { owner, client, remainingWait }: OwnedRequest,
  waitMaxMs: () => number,
): PermitAccess {
  const releaseAll = (acquired: FairSemaphore[]) => {
    for (const semaphore of acquired) semaphore.release(owner);
  };
  return {
    waitMaxMs,
    async acquire(isReturning) {
      const untilMs = performance.now() + waitMaxMs();
      const acquired: FairSemaphore[] = [];
      try {
        for (const semaphore of semaphores) {
          const limits = { client, isReturning, waitMaxMs: untilMs - performance.now() };
          await semaphore.acquire(owner, isReturning ? limits : { ...limits, remainingWait });
          acquired.push(semaphore);
        }
      } catch (error) {
        releaseAll(acquired);
        throw error;
      }
    },
    release: () => releaseAll(semaphores),
  };
}

type SharedResources = { memory: BodyMemory; heavy: HeavyWork };

/** A permit that can be given back, and taken again, while the request goes on. */
function createHolding(access: PermitAccess) {
  let isHeld = true;
  const release = () => {
    if (isHeld) access.release();
    isHeld = false;
  };
  const without: Permit['withoutPermit'] = async (act) => {
    // In a nested call the permit is already released. Acquiring it again here would hold it twice.
    if (!isHeld) return await act();
    release();
    try {
      return await act();
    } finally {
      await access.acquire(true);
      isHeld = true;
    }
  };
  return { release, without };
}

/** The permit of one request, with the memory for its body. */
function createPermit(
  access: PermitAccess,
  { memory, heavy }: SharedResources,
  { owner, client, remainingWait }: OwnedRequest,
): Permit {
  let body: HeldBody | undefined;
  const holding = createHolding(access);
  const limits = () => ({ client, remainingWait, waitMaxMs: access.waitMaxMs() });
  return {
    remainingWait,
    withoutPermit: holding.without,
    body() {
      body ??= memory.begin(owner, limits());
      return body;
    },
    async runHeavy(act) {
      let slot: HeavySlot | undefined;
      const take = async () => {
        slot = await heavy.take(owner, limits());
      };
      try {
        // Getting the permit back may fail after the slot has been taken; `finally` then passes it on.
        await (heavy.isTaken(owner) ? holding.without(take) : take());
        slot?.begin();
        return await act();
      } finally {
        slot?.end();
      }
    },
    release() {
      holding.release();
      body?.release();
    },
  };
}

/**
 * Creates the admission with `count` permits, and LOOK_UPS_MAX for look-ups. `ownerOf` returns the account of a key
 * without waiting.
 */
export function createAdmission(count: number, ownerOf: (key: string) => string): Admission {
  const permits = createFairSemaphore(count, (owner) => lanes.others.served(owner), RESERVE);
  const imports = createFairSemaphore(Math.max(1, Math.floor(count * IMPORT_SHARE)), undefined, RESERVE);
  const lookUps = createFairSemaphore(LOOK_UPS_MAX, (owner) => lanes.lookUps.served(owner));
  const semaphores = [permits, imports, lookUps];
  const lanes = {
    imports: createLane(imports, { waitsWhenSlow: true }),
    lookUps: createLane(lookUps, { waitsWhenSlow: false }),
    others: createLane(permits, { waitsWhenSlow: false }),
  };
  const semaphoresOf = { imports: [imports, permits], lookUps: [lookUps], others: [permits] };
  const memory = createBodyMemory(BODIES_MAX_BYTES);
  const heavy = createHeavyWork(permits.ownerCount);

  return {
    isFull: (name, key) => lanes[name].isFull(ownerOf(key)),
    async admit(name, { key, client }) {
      const lane = lanes[name];
      const request = { owner: ownerOf(key), client, remainingWait: { leftMs: lane.waitMaxMs } };
      if (lane.isFull(request.owner)) throw overloaded();
      const access = createPermitAccess(semaphoresOf[name], request, () => lane.waitMaxMs);
      lane.joined(request.owner);
      for (const semaphore of semaphores) semaphore.markPresent(request.owner);
      await access.acquire(false);
      return createPermit(access, { memory, heavy }, request);
    },
    shortenWaits() {
      for (const lane of Object.values(lanes)) lane.waitMaxMs = SHUTDOWN_WAIT_MAX_MS;
      const end = () => {
        for (const { rejectAll } of [...semaphores, memory, heavy]) rejectAll(serverShuttingDown);
      };
      setTimeout(end, SHUTDOWN_WAIT_MAX_MS).unref();
    },
  };
}
