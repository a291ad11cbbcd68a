/** Looks into the table's index of lexemes, or into the indexes of all shards where Citus distributes the table. */
import { sql } from 'kysely';
import type { Database } from '../../database/connection/database.ts';
import { isDistributed } from '../../database/distribution/distribution.ts';

/** The sum of a number over the indexes. `number` is SQL for it, given SQL for the name of an index. */
export async function sumOverLexemeIndexes(
  database: Database,
  number: (index: string) => string,
): Promise<number> {
  const ofShard = number(`replace('%s', 'passage_lexemes', 'passage_lexemes_by_lexeme')`);
  const { rows } = (await isDistributed(database))
    ? await sql<{ sum: number }>`
      SELECT sum(result::bigint)::bigint AS sum
      FROM run_command_on_shards('passage_lexemes', ${`SELECT ${ofShard}`})`.execute(database)
    : await sql<{ sum: number }>`
      SELECT (${sql.raw(number(`'passage_lexemes_by_lexeme'`))})::bigint AS sum`.execute(database);
  return rows[0]?.sum ?? -1;
}
