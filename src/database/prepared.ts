/**
 * Statements of one fixed text, which PostgreSQL parses and plans once for each connection: planning a ranked query
 * takes as long as a third of its execution.
 */
import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** The names of the prepared statements by their text: what connections send them under. */
const names = new Map<string, string>();

/** All columns as the result: a newer version that adds one would break what is prepared already, and every import. */
const ALL_COLUMNS = /^\s*SELECT \*|\bRETURNING \*/i;

/** The name under which a statement of this text is prepared; undefined for all others. */
export const preparedName = (text: string): string | undefined => names.get(text);

/**
 * Prepares, under a name of its own, the statement that `build` makes of placeholders for these values; all that it
 * is asked with has to be among them.
 * @returns a function that runs it with their values (undefined is NULL) and gives the rows.
 */
export function prepare<Value extends string, Row>(
  name: string,
  values: readonly Value[],
  build: (placeholders: Record<Value, RawBuilder<unknown>>) => RawBuilder<Row>,
): (database: Kysely<Tables>, values: Record<Value, unknown>) => Promise<Row[]> {
  const placeholders = Object.fromEntries(
    values.map((value, place) => [value, sql.raw(`$${place + 1}`)]),
  ) as Record<Value, RawBuilder<unknown>>; // its keys are just these
  const statement = build(placeholders);
  let text: string | undefined;
  const compile = (database: Kysely<Tables>): string => {
    const compiled = statement.compile(database);
    if (compiled.parameters.length > 0) throw new Error(`${name} has a value in its text`);
    if (ALL_COLUMNS.test(compiled.sql)) throw new Error(`${name} does not name the columns of its result`);
    names.set(compiled.sql, name);
    return compiled.sql;
  };
  return async (database, given) => {
    text ??= compile(database);
    const parameters = values.map((value) => given[value] ?? null);
    const { rows } = await database.executeQuery<Row>(CompiledQuery.raw(text, parameters));
    return rows;
  };
}
