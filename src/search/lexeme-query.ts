/** A lexeme as PostgreSQL searches for it. */
import { type RawBuilder, sql } from 'kysely';

/** SQL for a lexeme as a tsquery. The SQL quotes the lexeme itself (see `quoteLexeme`). */
export const tsqueryOf = (lexeme: RawBuilder<unknown>) =>
  sql`('''' || replace(replace(${lexeme}, '\\', '\\\\'), '''', '''''') || '''')::tsquery`;
