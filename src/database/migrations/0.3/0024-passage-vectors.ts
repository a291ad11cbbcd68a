/** Vectors of passages, by which their meanings are compared. */
import { type Kysely, sql } from 'kysely';
import { ARE_TABLES_DISTRIBUTED, HAS_CITUS } from '../../schema/citus-insides.ts';
import { FIRST_TABLE } from '../../schema/distributed-tables.ts';

/**
 * Rows beside the passages, and no column of theirs: to fill a column would write each passage anew, and a search of a
 * small knowledge base reads the vectors of all its passages, and nothing else of them. The table begins empty. A job
 * makes the vectors of the passages that are stored already.
 */
const createTable = sql`
  CREATE TABLE passage_vectors (
    knowledge_base_id uuid NOT NULL,
    document_id uuid NOT NULL,
    position integer NOT NULL,
    generation smallint NOT NULL,
    account_id uuid NOT NULL,
    vector bit varying,
    PRIMARY KEY (knowledge_base_id, document_id, position, generation)
  )`;

/** Before the foreign key: no ordinary table may refer to one that Citus distributes. */
const distributeTable = sql`
  SELECT create_distributed_table('passage_vectors', 'knowledge_base_id', colocate_with => ${sql.lit(FIRST_TABLE)})`;

/** With a cascade: the servers of the version before delete documents during an upgrade, and do not know the table. */
const addForeignKey = sql`
  ALTER TABLE passage_vectors ADD FOREIGN KEY (knowledge_base_id, document_id) REFERENCES documents ON DELETE CASCADE`;

/** Whether the database answers a condition, an SQL text, with true. */
async function holds(database: Kysely<unknown>, condition: string): Promise<boolean> {
  const { rows } = await sql<{ holds: boolean }>`SELECT ${sql.raw(condition)} AS holds`.execute(database);
  return rows[0]?.holds === true;
}

export async function up(database: Kysely<unknown>): Promise<void> {
  await createTable.execute(database);
  if ((await holds(database, HAS_CITUS)) && (await holds(database, ARE_TABLES_DISTRIBUTED)))
    await distributeTable.execute(database);
  await addForeignKey.execute(database);
}
