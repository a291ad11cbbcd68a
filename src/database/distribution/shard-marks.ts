/** A row in each shard, by which a statement reaches each server of shards once: see at-shards/worker-statements.ts. */
import { sql } from 'kysely';
import type { Queryable } from '../connection/database.ts';
import { RECORD_MARKS } from '../schema/citus-insides.ts';
import { FIRST_TABLE } from '../schema/distributed-tables.ts';

/** Creates the marks of all shards, and records them at the coordinator, unless each shard has one. */
export async function createShardMarks(transaction: Queryable): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('shard_marks', 0))`.execute(transaction);
  const { rows } = await sql<{ isThere: boolean }>`
    SELECT to_regclass('shard_marks') IS NOT NULL AS "isThere"`.execute(transaction);
  if (!rows[0]?.isThere) {
    await sql`CREATE TABLE shard_marks (knowledge_base_id uuid PRIMARY KEY)`.execute(transaction);
    await sql`CREATE TABLE recorded_marks (shardid bigint PRIMARY KEY, mark uuid NOT NULL)`.execute(
      transaction,
    );
    await sql`
      SELECT create_distributed_table('shard_marks', 'knowledge_base_id', colocate_with => ${FIRST_TABLE})`.execute(
      transaction,
    );
  }
  const { rows: added } = await RECORD_MARKS.execute(transaction);
  if (added.length > 0)
    await sql`
      INSERT INTO shard_marks (knowledge_base_id) VALUES ${sql.join(added.map(({ mark }) => sql`(${mark}::uuid)`))}
    `.execute(transaction);
}
