/** Synonyms of accounts and of knowledge bases. */
import { type Kysely, sql } from 'kysely';

/**
 * A nil UUID as `knowledge_base_id`: the group is the whole account's. The table is not distributed, and so refers to
 * no knowledge base: the purge of one deletes its groups.
 */
const statements = [
  sql`CREATE TABLE synonym_groups (
    knowledge_base_id uuid NOT NULL,
    account_id uuid NOT NULL REFERENCES accounts,
    position integer NOT NULL,
    terms text[] NOT NULL,
    finds text[],
    keys text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (knowledge_base_id, account_id, position)
  )`,
  // Without pending entries, which each query would compare.
  sql`CREATE INDEX synonym_groups_by_key ON synonym_groups USING gin (keys) WITH (fastupdate = off)`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
