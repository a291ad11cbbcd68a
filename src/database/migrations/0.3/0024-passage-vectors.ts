/** Vectors of passages, by which their meanings are compared. */
import { type Kysely, sql } from 'kysely';
import { distributeLikeOthers } from '../distribute-table.ts';

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

/** With a cascade: the servers of the version before delete documents during an upgrade, and do not know the table. */
const addForeignKey = sql`
  ALTER TABLE passage_vectors ADD FOREIGN KEY (knowledge_base_id, document_id) REFERENCES documents ON DELETE CASCADE`;

export async function up(database: Kysely<unknown>): Promise<void> {
  await createTable.execute(database);
  await distributeLikeOthers(database, 'passage_vectors');
  await addForeignKey.execute(database);
}
