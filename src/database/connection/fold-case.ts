/** Upper and lower case are the same, of all letters and in the same way for all languages. */
import { type RawBuilder, sql } from 'kysely';
import { lastSessionOf, type Queryable } from './database.ts';

/**
 * SQL for `text` in lower case. The database's own collation may fold the letters of English only, as C does, or I to
 * ı, as Turkish does. Where PostgreSQL has another collation, it is used instead.
 */
export function foldCase(database: Queryable, text: RawBuilder<unknown>): RawBuilder<string> {
  const collation = lastSessionOf(database)?.foldingCollation;
  return collation === undefined ? sql`lower(${text})` : sql`lower(${text} COLLATE ${sql.raw(collation)})`;
}
