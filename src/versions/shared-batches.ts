/**
 * Imports of one knowledge base that wait at the same time share a batch, which is one transaction. A knowledge base
 * has one batch in work at a time: with two, batches would be half as long and cost more.
 */
import { setImmediate as nextIteration } from 'node:timers/promises';
import { createFairSemaphore, type FairSemaphore } from '../concurrency/fair-semaphore.ts';
import {
  createWaitQueue,
  REQUEST_WAIT_MAX_MS,
  type RemainingWait,
  type WaitQueue,
} from '../concurrency/wait-queue.ts';
import type { Description } from '../database/rows/documents/documents.ts';
import { KeyTaken } from '../database/rows/kept-answers.ts';
import { overloaded, ServiceError, serverShuttingDown } from '../terms/errors.ts';

/** An import that may share a batch. */
type Shared = { knowledgeBaseId: string; description: Description };

/** The account of an import, and the limits of its wait for a batch. */
export type ImportOptions = {
  accountId: string;
  signal: AbortSignal;
  remainingWait: RemainingWait | undefined;
};

export type SharedBatches<Item, Result> = {
  /**
   * Imports an item together with others.
   * @throws SERVICE_UNAVAILABLE while too many wait, and what its batch throws
   */
  add(item: Item, options: ImportOptions): Promise<Result>;
  /** Makes an account count as present: see `FairSemaphore`. */
  markAccountPresent(accountId: string): void;
  /** Rejects the items that wait: the server shuts down. */
  rejectWaiting(): void;
};

/** Items of a batch. More would hardly save more, and the first would wait for the work of the last. */
const BATCH_MAX = 16;

/** Batches in work at a time, of all accounts together. Each holds a connection. */
const BATCHES = 4;

/**
 * Clients that import one thing after the other send the next one when they have the answer to the last. A batch waits
 * for them this share of the last batch's time: otherwise it would take only what came during that one, and those that
 * were answered would wait for all of it. So eight clients fill batches of eight instead of four.
 */
const RETURN_SHARE = 0.5;
const RETURN_MAX_MS = 20;

/** Waiting items of all accounts together. */
const WAITING_MAX = 1_000;

type WaitingItem<Item, Result> = Item & PromiseWithResolvers<Result>;

/**
 * The waiting items of an account, its knowledge bases that have items in work, and what these want to know of each
 * item that arrives.
 */
type AccountItems<Item, Result> = {
  waiting: WaitQueue<WaitingItem<Item, Result>>;
  inWork: Set<string>;
  onArrival: Map<string, () => void>;
};

/** Waits until `count` items of a knowledge base have arrived, for `maxMs` at most. */
const untilArrived = (
  onArrival: Map<string, () => void>,
  knowledgeBaseId: string,
  { count, maxMs }: { count: number; maxMs: number },
): Promise<void> =>
  new Promise((resolve) => {
    let left = count;
    const end = () => {
      clearTimeout(timer);
      onArrival.delete(knowledgeBaseId);
      resolve();
    };
    const timer = setTimeout(end, maxMs);
    onArrival.set(knowledgeBaseId, () => {
      left--;
      if (left === 0) end();
    });
  });

/** How many more items of a knowledge base fit into its next batch. */
function roomInNext<Item extends Shared>(waiting: WaitQueue<Item>, knowledgeBaseId: string): number {
  let room = BATCH_MAX;
  waiting.serveWhere((item) => {
    if (item.knowledgeBaseId === knowledgeBaseId) room--;
    return false;
  });
  return room;
}

/** Whether one of the documents replaces the other. */
const haveSameExternalId = ({ description }: Shared, other: Shared): boolean =>
  description.externalId !== undefined && description.externalId === other.description.externalId;

/** Takes the first waiting items of a knowledge base, as many as fit into a batch. */
function takeBatch<Item extends Shared>(waiting: WaitQueue<Item>, knowledgeBaseId: string): Item[] {
  const batch: Item[] = [];
  waiting.serveWhere((item) => {
    const fits = item.knowledgeBaseId === knowledgeBaseId && batch.length < BATCH_MAX;
    const isTaken = fits && !batch.some((other) => haveSameExternalId(item, other));
    if (isTaken) batch.push(item);
    return isTaken;
  });
  return batch;
}

/**
 * SQLSTATE classes of errors that one item may cause for all items of its batch: wrong data, broken constraints,
 * deadlocks, exceeded limits of PostgreSQL.
 */
const OWN_ERRORS = /^(?:22|23|40|54)/;

/** Whether a batch may succeed without one of its items. */
function isOwnError(error: unknown): boolean {
  if (error instanceof KeyTaken) return true;
  if (error instanceof ServiceError) return error.errorCode === 'STORAGE_LIMIT_EXCEEDED';
  return error instanceof Error && 'code' in error && OWN_ERRORS.test(String(error.code));
}

/** Imports items of one knowledge base, all or none. Returns their results in the same order. */
type ImportTogether<Item, Result> = (items: [Item, ...Item[]], accountId: string) => Promise<Result[]>;

/** Imports a batch. If one of its items may have failed the others, imports each alone. Settles all; never throws. */
async function importBatch<Item, Result>(
  batch: WaitingItem<Item, Result>[],
  accountId: string,
  importTogether: ImportTogether<Item, Result>,
): Promise<void> {
  const [first, ...others] = batch;
  if (first === undefined) return;
  try {
    const results = await importTogether([first, ...others], accountId);
    for (const [i, item] of batch.entries()) item.resolve(results[i] as Result); // one for each item
  } catch (error) {
    if (others.length > 0 && isOwnError(error)) {
      for (const item of batch) await importBatch([item], accountId, importTogether);
      return;
    }
    for (const item of batch) item.reject(error);
  }
}

/** Imports the items of a knowledge base, batch by batch, until none waits. */
async function importAll<Item extends Shared, Result>(
  { waiting, inWork, onArrival }: AccountItems<Item, Result>,
  { accountId, knowledgeBaseId }: { accountId: string; knowledgeBaseId: string },
  { permits, importTogether }: { permits: FairSemaphore; importTogether: ImportTogether<Item, Result> },
): Promise<void> {
  inWork.add(knowledgeBaseId);
  // Items that arrive in the same iteration of the event loop share a batch.
  await nextIteration();
  while (inWork.has(knowledgeBaseId)) {
    await permits.acquire(accountId);
    const batch = takeBatch(waiting, knowledgeBaseId);
    // At once: from now on the next item begins a new loop.
    if (batch.length === 0) inWork.delete(knowledgeBaseId);
    const beganAtMs = performance.now();
    await importBatch(batch, accountId, importTogether);
    permits.release(accountId);
    const maxMs = Math.min((performance.now() - beganAtMs) * RETURN_SHARE, RETURN_MAX_MS);
    const count = Math.min(batch.length, roomInNext(waiting, knowledgeBaseId));
    if (count > 0) await untilArrived(onArrival, knowledgeBaseId, { count, maxMs });
  }
}

/**
 * Creates the batches of one kind of imports. `connections`: the size of the database's pool, of which they take a
 * quarter.
 */
export function createSharedBatches<Item extends Shared, Result>(
  importTogether: ImportTogether<Item, Result>,
  { connections }: { connections: number },
): SharedBatches<Item, Result> {
  const permits = createFairSemaphore(Math.max(1, Math.min(BATCHES, connections >> 2)));
  const accounts = new Map<string, AccountItems<Item, Result>>();

  const begin = async (accountId: string, knowledgeBaseId: string, items: AccountItems<Item, Result>) => {
    await importAll(items, { accountId, knowledgeBaseId }, { permits, importTogether });
    if (items.inWork.size === 0) accounts.delete(accountId);
  };
  return {
    async add(item, { accountId, signal, remainingWait }) {
      const items = accounts.get(accountId) ?? {
        waiting: createWaitQueue(),
        inWork: new Set(),
        onArrival: new Map(),
      };
      if (items.waiting.length() >= WAITING_MAX / permits.ownerCount()) throw overloaded();
      accounts.set(accountId, items);
      const result = Promise.withResolvers<Result>();
      const limits = { signal, remainingWait, waitMaxMs: REQUEST_WAIT_MAX_MS };
      const wait = items.waiting.wait({ ...item, ...result }, limits);
      const { knowledgeBaseId } = item;
      if (items.inWork.has(knowledgeBaseId)) items.onArrival.get(knowledgeBaseId)?.();
      else void begin(accountId, knowledgeBaseId, items);
      await wait;
      return await result.promise;
    },
    markAccountPresent: permits.markPresent,
    rejectWaiting() {
      for (const { waiting } of accounts.values()) waiting.rejectAll(serverShuttingDown);
    },
  };
}
