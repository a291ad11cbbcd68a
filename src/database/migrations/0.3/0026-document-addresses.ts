/** Imports by address: what is to be fetched, and of which version of the file a document is. */
import { type Kysely, sql } from 'kysely';
import { distributeLikeOthers } from '../distribute-table.ts';

/**
 * No columns of the documents: most have no address, and the servers of the version before insert documents. A row
 * belongs to the document for as long as that exists. `reads_anew`: the file is read also if it has not changed.
 */
const createAddresses = sql`
  CREATE TABLE document_addresses (
    knowledge_base_id uuid NOT NULL,
    document_id uuid NOT NULL,
    account_id uuid NOT NULL,
    url text NOT NULL,
    reads_anew boolean NOT NULL,
    final_url text,
    etag text,
    last_modified text,
    charset text,
    PRIMARY KEY (knowledge_base_id, document_id)
  )`;

/** The documents of imports that made nothing new: `id` is gone, and `document_id` has its content. */
const createUnchanged = sql`
  CREATE TABLE unchanged_imports (
    knowledge_base_id uuid NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    document_id uuid NOT NULL,
    ended_at timestamptz NOT NULL,
    PRIMARY KEY (knowledge_base_id, id)
  )`;

/** For the deletion of a document, which removes its rows. */
const createIndex = sql`
  CREATE INDEX unchanged_imports_of_document ON unchanged_imports (knowledge_base_id, document_id)`;

/** With a cascade: the servers of the version before delete documents, and do not know the tables. */
const addForeignKey = (table: string) => sql`
  ALTER TABLE ${sql.table(table)} ADD FOREIGN KEY (knowledge_base_id, document_id)
    REFERENCES documents ON DELETE CASCADE`;

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of [createAddresses, createUnchanged, createIndex]) await statement.execute(database);
  for (const table of ['document_addresses', 'unchanged_imports']) {
    await distributeLikeOthers(database, table);
    await addForeignKey(table).execute(database);
  }
}
