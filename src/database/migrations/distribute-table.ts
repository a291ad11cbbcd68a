/**
 * For migrations that add a table of content: where Citus distributes the tables of content, it distributes the new
 * table too.
 */
import { type Kysely, sql } from 'kysely';
import { ARE_TABLES_DISTRIBUTED, HAS_CITUS } from '../schema/citus-insides.ts';
import { FIRST_TABLE } from '../schema/distributed-tables.ts';

/** Whether the database answers a condition, an SQL text, with true. */
async function holds(database: Kysely<unknown>, condition: string): Promise<boolean> {
  const { rows } = await sql<{ holds: boolean }>`SELECT ${sql.raw(condition)} AS holds`.execute(database);
  return rows[0]?.holds === true;
}

/**
 * Distributes a new table by knowledge base if the others are. Before its foreign key: no ordinary table may refer to
 * one that Citus distributes.
 */
export async function distributeLikeOthers(database: Kysely<unknown>, table: string): Promise<void> {
  if ((await holds(database, HAS_CITUS)) && (await holds(database, ARE_TABLES_DISTRIBUTED)))
    await sql`
      SELECT create_distributed_table(${sql.lit(table)}, 'knowledge_base_id', colocate_with => ${sql.lit(FIRST_TABLE)})
    `.execute(database);
}
