/** Checks the read replica of DATABASE_READ_URL. */
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase, type Database } from '../../database/connection/database.ts';
import { createReplicaPool } from '../../database/connection/pool.ts';
import {
  compareReplica,
  describeFault,
  findPosition,
  type Position,
  type ReplicaFault,
} from '../../database/replica/position.ts';
import { codeOf, type Problem, reasonOf } from '../../terms/problem.ts';

const CONNECTIONS = 1;
const TIMEOUT_MS = 5_000;
/** What the primary has committed is usually on a replica within milliseconds. */
const CATCH_UP_MS = 2_000;

const REMEDIES: Record<ReplicaFault, string> = {
  foreign: 'Set DATABASE_READ_URL to a streaming replica of the database of DATABASE_URL, or unset it.',
  distributed: 'Unset DATABASE_READ_URL.',
  promoted: 'Set DATABASE_READ_URL to a streaming replica of DATABASE_URL, or unset it.',
  diverged:
    'If there was a failover, the next checkpoint of the replica solves it. Otherwise make the replica anew.',
  behind: 'Look whether the replica receives and replays the log: pg_stat_replication on the primary.',
};

/** SQLSTATEs of wrong credentials (28) and an unknown database, which do not heal. */
const REFUSED = /^(28...|3D000)$/;

/** Why the replica cannot be asked. */
function describeFailure(error: unknown): Problem {
  const reason = reasonOf(error);
  if (REFUSED.test(codeOf(error)))
    return {
      problem: `The replica of DATABASE_READ_URL refuses the service: ${reason}.`,
      remedy:
        "Correct user, password or database in DATABASE_READ_URL, or allow the user in the replica's pg_hba.conf.",
    };
  return {
    problem: `The replica of DATABASE_READ_URL does not answer: ${reason}.`,
    remedy: 'Start it, or unset DATABASE_READ_URL.',
    isWarning: true,
  };
}

/** The problem of a replica beside a `standby` at DATABASE_URL. */
async function describeWithoutPrimary(standby: Database, replica: Database): Promise<Problem> {
  const position = await findPosition(replica);
  const isSwapped = position !== undefined && (await compareReplica(standby, position)).fault !== 'foreign';
  if (isSwapped)
    return {
      problem: 'DATABASE_URL and DATABASE_READ_URL are swapped: the first leads to a standby of the second.',
      remedy: 'Swap them.',
    };
  return {
    problem:
      'The replica of DATABASE_READ_URL has no primary to be compared with: DATABASE_URL leads to a standby.',
    remedy: 'Set DATABASE_URL to the primary first.',
  };
}

/** How the replica stands to the position, when it has had time to replay the log up to there. */
async function compareInTime(replica: Database, position: Position) {
  const state = await compareReplica(replica, position);
  if (state.fault !== 'behind') return state;
  await delay(CATCH_UP_MS);
  return await compareReplica(replica, position);
}

/**
 * Checks whether queries can run on the replica. What may heal by itself, or be the state after a failover, is a
 * warning: queries then run on the primary.
 * @throws the error of the primary
 */
export async function checkReplica(primary: Database, connectionString: string): Promise<Problem[]> {
  const position = await findPosition(primary);
  const replica = createDatabase(createReplicaPool({ connectionString }, CONNECTIONS, TIMEOUT_MS));
  try {
    if (position === undefined) return [await describeWithoutPrimary(primary, replica)];
    const { fault, lagBytes } = await compareInTime(replica, position);
    if (fault === null) return [];
    const lag = fault === 'behind' ? `, by ${lagBytes} bytes of the log` : '';
    const problem = `Queries cannot run on the replica of DATABASE_READ_URL: ${describeFault[fault]}${lag}.`;
    return [{ problem, remedy: REMEDIES[fault], ...(fault !== 'foreign' && { isWarning: true as const }) }];
  } catch (error) {
    return [describeFailure(error)];
  } finally {
    await replica.destroy();
  }
}
