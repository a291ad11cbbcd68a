/** An index of lexemes by their ending, so that a search finds the compounds of a word. */
import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE INDEX document_frequencies_by_ending ON document_frequencies (knowledge_base_id, reverse(lexeme))
    WHERE lexeme >= 'a' AND char_length(lexeme) >= 6`.execute(database);
}
