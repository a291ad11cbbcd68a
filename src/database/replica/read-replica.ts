/**
 * Reads on a streaming replica (DATABASE_READ_URL). They see everything that any server has answered as done before
 * they began, deletions too. Where the replica cannot promise that, the primary has to be asked.
 *
 * Each read begins with the primary's position in its write-ahead log, and waits until the replica has replayed the log
 * up to there.
 *
 * Why not
 * - a version of each knowledge base, so that a read waits for changes of its own only: each statement that changes
 *   what a query finds would have to raise it, those to come as well. The wait that it saves is short: see WAIT_MAX_MS.
 * - `synchronous_commit = remote_apply`: each import would wait for the replica, and none would end without it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlledTransaction } from 'kysely';
import { repeat } from '../../concurrency/repeat.ts';
import { withTimeout } from '../../concurrency/timeout.ts';
import { ServiceError } from '../../terms/errors.ts';
import { codeOf, reasonOf } from '../../terms/problem.ts';
import { createDatabase, type Database, type Queryable } from '../connection/database.ts';
import { type Connection, createReplicaPool } from '../connection/pool.ts';
import type { Tables } from '../schema/tables.ts';
import { compareReplica, describeFault, type Position, type ReplicaFault, readPosition } from './position.ts';
import { createSwitch, type ReplicaUse } from './switch.ts';

/**
 * The longest wait of a read for what the primary has committed before. Beside 24 imports a second, 98 of 100 queries
 * found the replica in time, and beside 50 of them 86 to 98: on two cores with a load of 12 to 16, which both servers
 * and databases shared. A later replica is set aside, so that not every query waits.
 */
export const WAIT_MAX_MS = 50;
/** Interval between two looks during this wait. */
const LOOK_INTERVAL_MS = 1;
/** The longest time until a read begins, with a new connection. */
const BEGIN_MAX_MS = 500;
/** The longest time of a read. Searches have 5 s: the rest is for the primary. */
export const READ_MAX_MS = 2_000;
/** Interval between two checks whether a replica that was set aside can be read again. */
const CHECK_INTERVAL_MS = 250;

/**
 * SQLSTATEs of statements that the replica cancels: because they keep it from replaying the log, or take too long. The
 * replica itself is well.
 */
const CANCELLED: readonly string[] = ['40001', '40P01', '57014'];

/** Why a read has not begun. */
class UnusableReplica extends Error {
  readonly fault: ReplicaFault;

  constructor(fault: ReplicaFault) {
    super(describeFault[fault]);
    this.fault = fault;
  }
}

export type ReadReplica = {
  /**
   * Runs `act` in a transaction of the replica that sees everything up to a position of the primary. `findPosition`
   * reads that position after the request has arrived, or returns undefined if the read belongs on the primary.
   * @returns undefined where the primary has to be asked: the replica is set aside, or has failed during `act`
   * @throws the errors of `findPosition`, and the service's own errors of `act`
   */
  read<T>(
    findPosition: () => Promise<Position | undefined>,
    act: (replica: Queryable) => Promise<T>,
  ): Promise<{ result: T } | undefined>;
  /**
   * Where reads have run since the start, whether they run on the replica now, and what it has left to replay:
   * undefined if that is unknown.
   */
  readFigures(): Promise<{
    onReplica: number;
    onPrimary: number;
    isInUse: boolean;
    lagBytes: number | undefined;
  }>;
  close(): Promise<void>;
};

type ReadTransaction = ControlledTransaction<Tables>;

/** Waits until everything up to the position is visible. @throws UnusableReplica */
async function untilVisible(replica: Queryable, position: Position): Promise<void> {
  const endsAtMs = performance.now() + WAIT_MAX_MS;
  for (;;) {
    const { fault } = await compareReplica(replica, position);
    if (fault === null) return;
    if (fault !== 'behind' || performance.now() > endsAtMs) throw new UnusableReplica(fault);
    await delay(LOOK_INTERVAL_MS);
  }
}

/** Ends a transaction that has read only, and whose connection may be broken. Nothing has to wait for that. */
const end = (transaction: ReadTransaction): void =>
  void transaction
    .rollback()
    .execute()
    .catch(() => {});

/**
 * One transaction, because a pooler or balancer may lead each to another replica.
 * @throws UnusableReplica; a lost connection
 */
async function begin(replica: Database, position: Position): Promise<ReadTransaction> {
  const transaction = await replica.startTransaction().setAccessMode('read only').execute();
  try {
    await untilVisible(transaction, position);
    return transaction;
  } catch (error) {
    end(transaction);
    throw error;
  }
}

/** @throws also when the replica does not answer in time */
async function beginInTime(replica: Database, position: Position): Promise<ReadTransaction> {
  const beginning = begin(replica, position);
  return await withTimeout(beginning, BEGIN_MAX_MS, () => {
    beginning.then(end, () => {});
    throw new Error('it does not answer');
  });
}

/** @throws also when `act` takes too long; it then goes on without being heard */
const actInTime = <T>(transaction: ReadTransaction, act: (replica: Queryable) => Promise<T>): Promise<T> =>
  withTimeout(act(transaction), READ_MAX_MS, () => {
    throw new Error('it does not answer');
  });

/** Bytes of the primary's log that the replica has left to replay; undefined if one of them does not answer. */
const readLag = (primary: Queryable, replica: Queryable): Promise<number | undefined> =>
  readPosition(primary)
    .then((position) => compareReplica(replica, position))
    .then(
      ({ lagBytes }) => lagBytes,
      () => undefined,
    );

/** What the failure of a read, or of its beginning, says about the replica. */
const toReplicaUse = (error: unknown): ReplicaUse =>
  error instanceof UnusableReplica && error.fault === 'behind'
    ? { state: 'behind' }
    : { state: 'failed', reason: reasonOf(error) };

/** A replica, and the switch that says whether it is read. */
type SwitchedReplica = { primary: Database; replica: Database; use: ReturnType<typeof createSwitch> };

/** Begins a read, and sets the switch. @returns why the read has not begun. @throws the error of the primary */
async function check({ primary, replica, use }: SwitchedReplica): Promise<unknown> {
  const position = await readPosition(primary);
  try {
    end(await beginInTime(replica, position));
    use.set({ state: 'used' });
    return undefined;
  } catch (error) {
    use.set(toReplicaUse(error));
    return error;
  }
}

/**
 * What `act` reads there; undefined if the replica fails, which the switch then knows. @throws ServiceError of `act`
 */
async function attempt<T>(
  { replica, use }: SwitchedReplica,
  position: Position,
  act: (replica: Queryable) => Promise<T>,
): Promise<{ result: T } | undefined> {
  let transaction: ReadTransaction | undefined;
  try {
    transaction = await beginInTime(replica, position);
    return { result: await actInTime(transaction, act) };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (!CANCELLED.includes(codeOf(error))) use.set(toReplicaUse(error));
    return undefined;
  } finally {
    if (transaction) end(transaction);
  }
}

/**
 * Opens the replica of `primary`, with at most `size` connections. While it cannot be read, it is set aside, and
 * checked a few times a second. `onChange` hears when reads move to the primary for longer, and when they come back.
 * @throws when the address leads to another database. A replica that is unreachable, behind or promoted is only set
 * aside.
 */
export async function openReadReplica(
  connection: Connection,
  { primary, size, onChange }: { primary: Database; size: number; onChange: (use: ReplicaUse) => void },
): Promise<ReadReplica> {
  const replica = createDatabase(createReplicaPool(connection, size, READ_MAX_MS));
  const use = createSwitch(onChange);
  const switched = { primary, replica, use };
  const counts = { onReplica: 0, onPrimary: 0 };

  const error = await check(switched).catch((error) => use.set(toReplicaUse(error)));
  if (error instanceof UnusableReplica && error.fault === 'foreign') {
    use.close();
    await replica.destroy();
    throw new Error(`DATABASE_READ_URL leads to no replica: ${error.message}.`);
  }
  const stopChecks = repeat(async () => {
    // While the primary does not answer, nothing is known of the replica.
    if (!use.isOn()) await check(switched).catch(() => {});
    return CHECK_INTERVAL_MS;
  });
  return {
    async read(findPosition, act) {
      const position = use.isOn() ? await findPosition() : undefined;
      const answer = position && (await attempt(switched, position, act));
      counts[answer ? 'onReplica' : 'onPrimary']++;
      return answer;
    },
    async readFigures() {
      const lagBytes = await withTimeout(readLag(primary, replica), BEGIN_MAX_MS, () => undefined);
      return { ...counts, isInUse: use.isOn(), lagBytes };
    },
    async close() {
      await stopChecks();
      use.close();
      await replica.destroy();
    },
  };
}
