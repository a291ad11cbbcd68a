/**
 * Short reads of several requests share a round trip: all reads of one iteration of the event loop go over one
 * connection, in one write. To wake PostgreSQL and to be woken by it takes longer than such a read, and is paid once
 * for all.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type Read = { text: string; values: unknown[] };
type Rows = unknown[];
/** Runs reads over one connection. Each has a result of its own. @throws when there is no connection */
export type ReadTogether = (reads: Read[]) => Promise<PromiseSettledResult<Rows>[]>;
type WaitingRead = Read & PromiseWithResolvers<Rows>;

/** Reads over one connection: PostgreSQL runs them one after the other, and a slow one delays those after it. */
const TOGETHER_MAX = 8;

/** A shared connection belongs to no single request: neither its bounds nor its trace. */
const outsideRequests = AsyncLocalStorage.snapshot();

async function settle(reads: WaitingRead[], readTogether: ReadTogether): Promise<void> {
  try {
    const results = await readTogether(reads);
    for (const [i, result] of results.entries()) {
      if (result.status === 'fulfilled') reads[i]?.resolve(result.value);
      else reads[i]?.reject(result.reason);
    }
  } catch (error) {
    for (const { reject } of reads) reject(error);
  }
}

/**
 * Returns a function that runs one read together with others. It begins after all that share its connection, so it sees
 * what was committed before.
 * @throws the error of this read, or the error of the connection, as all other reads of the round trip do
 */
export function shareRoundTrips(readTogether: ReadTogether): (read: Read) => Promise<Rows> {
  let waiting: WaitingRead[] = [];
  const send = () => {
    const reads = waiting;
    waiting = [];
    for (let i = 0; i < reads.length; i += TOGETHER_MAX)
      void settle(reads.slice(i, i + TOGETHER_MAX), readTogether);
  };
  return (read) => {
    const result = Promise.withResolvers<Rows>();
    if (waiting.push({ ...read, ...result }) === 1) outsideRequests(() => setImmediate(send));
    return result.promise;
  };
}

/**
 * Returns the function that runs a short read of a database together with others. Undefined: each read takes a
 * connection of its own, as behind a pooler.
 */
type SharedReads = () => ((read: Read) => Promise<Rows>) | undefined;

/** By database. A transaction has none: its reads stay on its own connection. */
const sharedReads = new WeakMap<object, SharedReads>();

/** Lets the short reads of `database` share round trips, as far as `readsOf` returns what runs them. */
export const setSharedReads = (database: object, readsOf: SharedReads): void =>
  void sharedReads.set(database, readsOf);

/** The function that runs short reads of `database` together; undefined: each read takes a connection of its own. */
export const sharedReadsOf = (database: object): ReturnType<SharedReads> => sharedReads.get(database)?.();
