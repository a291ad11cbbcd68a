/** Vectors by models: which models there have been, and which documents wait for the vectors of theirs. */
import { type Kysely, sql } from 'kysely';
import { distributeLikeOthers } from '../distribute-table.ts';

/** Generation 1 are the vectors of words, which are part of the package. */
const createGenerations = sql`
  CREATE TABLE vector_generations (
    generation smallint PRIMARY KEY CHECK (generation > 1),
    url text NOT NULL,
    model text NOT NULL,
    dimensions integer NOT NULL,
    query_prefix text NOT NULL,
    passage_prefix text NOT NULL,
    mean bytea NOT NULL,
    wanted_at timestamptz NOT NULL,
    current_since timestamptz,
    is_retired boolean NOT NULL DEFAULT false,
    is_alone boolean NOT NULL DEFAULT false
  )`;

/**
 * No column of the documents: to update one would write the whole row anew, at each batch of a large document. A queue
 * of its own beside the queue of jobs, of which a document has one at a time: its import may be running. With the room,
 * an update stays on its page.
 */
const createQueue = sql`
  CREATE TABLE documents_without_vectors (
    knowledge_base_id uuid NOT NULL,
    document_id uuid NOT NULL,
    account_id uuid NOT NULL,
    generation smallint NOT NULL,
    after_position integer NOT NULL DEFAULT 0,
    tries integer NOT NULL DEFAULT 0,
    queued_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    PRIMARY KEY (knowledge_base_id, document_id)
  ) WITH (fillfactor = 70)`;

/** With a cascade, as passage_vectors has. */
const addForeignKey = sql`
  ALTER TABLE documents_without_vectors ADD FOREIGN KEY (knowledge_base_id, document_id)
    REFERENCES documents ON DELETE CASCADE`;

/** The documents of an account in the order in which they are due. */
const createIndex = sql`
  CREATE INDEX documents_without_vectors_due ON documents_without_vectors (account_id, due_at)`;

export async function up(database: Kysely<unknown>): Promise<void> {
  await createGenerations.execute(database);
  await createQueue.execute(database);
  await createIndex.execute(database);
  await distributeLikeOthers(database, 'documents_without_vectors');
  await addForeignKey.execute(database);
}
