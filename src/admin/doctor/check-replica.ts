/** Checks the read replica of DATABASE_READ_URL. */
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase, createReplicaPool, type Database } from '../../database/database.ts';
import {
  compareReplica,
  describeUnfitness,
  type Position,
  readPosition,
  type Unfitness,
} from '../../database/replica-position.ts';
import { type Problem, reasonOf } from '../../problem.ts';

const CONNECTIONS = 1;
const TIMEOUT_MS = 5_000;
/** What the primary has committed is usually on a replica within milliseconds. */
const CATCH_UP_MS = 2_000;

const REMEDIES: Record<Unfitness, string> = {
  foreign: 'Set DATABASE_READ_URL to a streaming replica of the database of DATABASE_URL, or unset it.',
  distributed: 'Unset DATABASE_READ_URL.',
  promoted: 'Set DATABASE_READ_URL to a streaming replica of DATABASE_URL, or unset it.',
  diverged:
    'If there was a failover, the next checkpoint of the replica solves it. Otherwise make the replica anew.',
  behind: 'Look whether the replica receives and replays the log: pg_stat_replication on the primary.',
};

/** How the replica stands to the position, when it has had time to replay the log up to there. */
async function compareInTime(replica: Database, position: Position) {
  const state = await compareReplica(replica, position);
  if (state.unfitness !== 'behind') return state;
  await delay(CATCH_UP_MS);
  return await compareReplica(replica, position);
}

/**
 * Checks whether queries can run on the replica. With another database no server starts; all else are warnings, since
 * queries then run on the primary.
 */
export async function checkReplica(primary: Database, connectionString: string): Promise<Problem[]> {
  const replica = createDatabase(createReplicaPool({ connectionString }, CONNECTIONS, TIMEOUT_MS));
  try {
    const { unfitness, lagBytes } = await compareInTime(replica, await readPosition(primary));
    if (unfitness === null) return [];
    const lag = unfitness === 'behind' ? `, by ${lagBytes} bytes of the log` : '';
    const problem = `Queries cannot run on the replica of DATABASE_READ_URL: ${describeUnfitness[unfitness]}${lag}.`;
    return [
      { problem, remedy: REMEDIES[unfitness], ...(unfitness !== 'foreign' && { isWarning: true as const }) },
    ];
  } catch (error) {
    const problem = `The replica of DATABASE_READ_URL does not answer: ${reasonOf(error)}.`;
    return [{ problem, remedy: 'Start it, or unset DATABASE_READ_URL.', isWarning: true }];
  } finally {
    await replica.destroy();
  }
}
