/**
 * Bounds how many requests work at once, and shares the permits out between accounts. Imports wait for their turn.
 * Other requests are refused at once when they could not be answered soon. Under any load the service does as much as
 * it can, and the load of one account hardly slows the others.
 */

import { createFairSemaphore, type FairSemaphore } from '../concurrency/fair-semaphore.ts';
import type { Client, WaitBudget } from '../concurrency/wait-queue.ts';
import { overloaded, serverShuttingDown } from '../errors.ts';
import { createLane, type LaneName } from './admission-lanes.ts';
import { type BodyMemory, createBodyMemory, type HeldBody } from './body-memory.ts';
import { createHeavyWork, type HeavyTurn, type HeavyWork } from './heavy-work.ts';

/**
 * The share of the permits that imports may hold: an import may take seconds. The other permits are left to requests
 * that take milliseconds.
 */
const IMPORT_SHARE = 3 / 4;
/** The longest wait when the server is about to end: an answer has to reach its client before the connections close. */
const SHUTDOWN_WAIT_MS = 2_000;
/**
 * Memory for bodies that are held: four of the largest legal ones. The analysis of a text takes several times as much.
 */
const BODIES_MAX_BYTES = 48 * 1024 ** 2;

/** A request that asks for a permit: its API key, whether valid or not, and the client that waits for the answer. */
export type PermitRequest = { key: string; client: Client };

/** A request's permit to work. */
export type Permit = {
  /**
   * The time that the request may still wait, over all its waits. A wait to take the permit again does not count: the
   * work is done by then.
   */
  budget: WaitBudget;
  /**
   * Gives the permit up while `act` runs, so that other requests work. For what takes time but no work of this process:
   * a slow client's body, the end of an import.
   */
  withoutPermit<T>(act: () => Promise<T>): Promise<T>;
  /**
   * The memory for a large body. It counts as it arrives, until `leave`. Wait for it without the permit.
   * @throws SERVICE_UNAVAILABLE when too many large bodies of the account arrive
   */
  body(): HeldBody;
  /** Runs work that holds the event loop, in the account's turn for such work: see `HeavyWork`. */
  runHeavy<T>(act: () => T | Promise<T>): Promise<T>;
  release(): void;
};

export type Admission = {
  /** Whether a further request with this key would be refused. */
  isFull(lane: LaneName, key: string): boolean;
  /**
   * Resolves when the request has its turn.
   * @throws SERVICE_UNAVAILABLE when too many requests of the account wait, or this one has waited too long
   */
  admit(lane: LaneName, visitor: PermitRequest): Promise<Permit>;
  /** From now on no request waits for longer than LAST_WAIT_MS. */
  shortenWaits(): void;
};

/** A request with its owner: an account, or `''` for all unknown keys together. */
type OwnedRequest = { owner: string; client: Client; budget: WaitBudget };

/** How a request takes a permit and returns it. */
type PermitAccess = { waitMaxMs(): number; acquire(isReturning: boolean): Promise<void>; release(): void };

/** A request in the lane of imports needs an import permit and a permit. It waits at most `waitMaxMs` for both. */
function createPermitAccess(
  semaphores: FairSemaphore[],
  { owner, client, budget }: OwnedRequest,
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
          await semaphore.acquire(owner, isReturning ? limits : { ...limits, budget });
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

/** What a request holds: its permit, and memory for its body. */
function createPermit(
  access: PermitAccess,
  { memory, heavy }: SharedResources,
  { owner, client, budget }: OwnedRequest,
): Permit {
  let isHeld = true;
  let body: HeldBody | undefined;
  const releasePermit = () => {
    if (isHeld) access.release();
    isHeld = false;
  };
  const limits = () => ({ client, budget, waitMaxMs: access.waitMaxMs() });
  const withoutPermit: Permit['withoutPermit'] = async (act) => {
    // Within another call the permit is already given up; a second call would take it twice.
    if (!isHeld) return await act();
    releasePermit();
    try {
      return await act();
    } finally {
      await access.acquire(true);
      isHeld = true;
    }
  };
  return {
    budget,
    withoutPermit,
    body() {
      body ??= memory.begin(owner, limits());
      return body;
    },
    async runHeavy(act) {
      let turn: HeavyTurn | undefined;
      const take = async () => {
        turn = await heavy.take(owner, limits());
      };
      try {
        // A request with its turn for heavy work may still be refused a permit.
        await (heavy.isTaken(owner) ? withoutPermit(take) : take());
        turn?.begin();
        return await act();
      } finally {
        turn?.end();
      }
    },
    release() {
      releasePermit();
      body?.release();
    },
  };
}

/** `count` permits, and memory for bodies. `ownerOf` returns the account of a key without waiting. */
export function createAdmission(count: number, ownerOf: (key: string) => string): Admission {
  const permits = createFairSemaphore(count, (owner) => lanes.others.served(owner));
  const imports = createFairSemaphore(Math.max(1, Math.floor(count * IMPORT_SHARE)));
  const lanes = {
    imports: createLane(imports, { waitsWhenSlow: true }),
    others: createLane(permits, { waitsWhenSlow: false }),
  };
  const semaphoresOf = { imports: [imports, permits], others: [permits] };
  const memory = createBodyMemory(BODIES_MAX_BYTES);
  const heavy = createHeavyWork(permits.ownerCount);

  return {
    isFull: (name, key) => lanes[name].isFull(ownerOf(key)),
    async admit(name, { key, client }) {
      const lane = lanes[name];
      const request = { owner: ownerOf(key), client, budget: { leftMs: lane.waitMaxMs } };
      if (lane.isFull(request.owner)) throw overloaded();
      const access = createPermitAccess(semaphoresOf[name], request, () => lane.waitMaxMs);
      lane.joined(request.owner);
      imports.markPresent(request.owner);
      await access.acquire(false);
      return createPermit(access, { memory, heavy }, request);
    },
    shortenWaits() {
      for (const lane of Object.values(lanes)) lane.waitMaxMs = SHUTDOWN_WAIT_MS;
      const end = () => {
        for (const { rejectAll } of [permits, imports, memory, heavy]) rejectAll(serverShuttingDown);
      };
      setTimeout(end, SHUTDOWN_WAIT_MS).unref();
    },
  };
}
