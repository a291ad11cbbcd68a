/**
 * The number of distinct lexemes of a knowledge base: it determines the space in the database more than the bytes do.
 */
import { type Kysely, sql } from 'kysely';

/** `distinct_lexemes`: the last count; `merged_lexemes`: how many counts have changed since. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE knowledge_base_statistics
    ADD COLUMN distinct_lexemes bigint NOT NULL DEFAULT 0 CHECK (distinct_lexemes >= 0),
    ADD COLUMN merged_lexemes bigint NOT NULL DEFAULT 0 CHECK (merged_lexemes >= 0)`.execute(database);
  await sql`UPDATE knowledge_base_statistics AS counters SET distinct_lexemes = counted
    FROM (SELECT knowledge_base_id, count(*) AS counted FROM lexeme_statistics GROUP BY knowledge_base_id) AS recount
    WHERE recount.knowledge_base_id = counters.knowledge_base_id`.execute(database);
}
