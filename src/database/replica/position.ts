/** How far a streaming replica has come, compared with the primary. */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';
import { HAS_CITUS } from '../schema/citus-insides.ts';

/**
 * A position in the write-ahead log of a primary. `cluster` and `database` name what it belongs to. `timeline` tells it
 * from positions of a former primary, which may have the same numbers.
 */
export type Position = { cluster: string; database: string; timeline: string; lsn: string };

const POSITION_COLUMNS = sql`
  system_identifier::text AS cluster, current_database()::text AS database,
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline,
  (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
    ELSE pg_current_wal_flush_lsn() END)::text AS lsn`;

/**
 * SQL for the primary's position, which is after every commit that it has acknowledged. A standby,
 * to which a failover may lead, returns no row: it would refuse to tell its position.
 *
 * A commit is acknowledged when its record is flushed; without `synchronous_commit` when the record is inserted. The
 * flushed position is preferred, since replicas get what is flushed: payments wait for no flush, and the next query
 * would have to wait for theirs, up to 200 ms (wal_writer_delay).
 */
const selectPosition = () => sql<Position>`
  SELECT ${POSITION_COLUMNS} FROM pg_control_system() WHERE NOT pg_is_in_recovery()`;

const logPosition = prepare('log_position', [], selectPosition);

/** The position of the primary; undefined when it is a standby. */
export async function findPosition(primary: Queryable): Promise<Position | undefined> {
  const [position] = await logPosition(primary, {});
  return position;
}

/** The position of the primary. @throws when it is a standby */
export async function readPosition(primary: Queryable): Promise<Position> {
  const position = await findPosition(primary);
  if (position === undefined) throw new Error('DATABASE_URL leads to a standby');
  return position;
}

/**
 * Why a database cannot answer for the primary.
 *
 * - `foreign`: it belongs to another cluster, or is another database of the same one.
 * - `distributed`: Citus is there. The position of a coordinator says nothing of its workers.
 * - `promoted`: it is a primary.
 * - `diverged`: it follows another timeline. A replica learns its timeline from checkpoints, and so after a failover up
 *   to `checkpoint_timeout` late.
 * - `behind`: it has not replayed the log up to the position yet.
 */
export type ReplicaFault = 'foreign' | 'distributed' | 'promoted' | 'diverged' | 'behind';

/** Each completes a sentence about the replica. */
export const describeFault: Readonly<Record<ReplicaFault, string>> = {
  foreign: 'it is another database than that of DATABASE_URL',
  distributed: 'with Citus, nothing tells how far its workers have come',
  promoted: 'it is a primary',
  diverged: 'it does not follow the primary: their timelines differ',
  behind: 'it is behind',
};

/** `fault` null: everything up to the position is visible there. `lagBytes`: of the log, left to replay. */
export type ReplicaState = { fault: ReplicaFault | null; lagBytes: number };

type PositionValues = Record<keyof Position, RawBuilder<unknown>>;

const compare = prepare(
  'replica_state',
  ['cluster', 'database', 'timeline', 'lsn'],
  ({ cluster, database, timeline, lsn }: PositionValues) => sql<ReplicaState>`
  SELECT CASE
      WHEN system_identifier::text <> ${cluster}::text OR current_database() <> ${database}::text THEN 'foreign'
      WHEN ${sql.raw(HAS_CITUS)} THEN 'distributed'
      WHEN NOT pg_is_in_recovery() THEN 'promoted'
      WHEN lpad(upper(to_hex(timeline_id)), 8, '0') <> ${timeline}::text THEN 'diverged'
      WHEN (pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn) IS NOT TRUE THEN 'behind'
    END AS fault,
    greatest(0, ${lsn}::pg_lsn - pg_last_wal_replay_lsn())::bigint AS "lagBytes"
  FROM pg_control_system(), pg_control_checkpoint()`,
);

/** Compares a replica with a position of the primary. Later statements see at least what the state says. */
export async function compareReplica(replica: Queryable, position: Position): Promise<ReplicaState> {
  const [state] = await compare(replica, position);
  if (state === undefined) throw new Error('the replica has no state');
  return state;
}
