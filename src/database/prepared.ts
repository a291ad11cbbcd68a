/**
 * Statements of fixed text, which PostgreSQL parses and plans once for each connection (see `PLANNING` in database.ts).
 */
import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** Statement text → the name under which connections prepare it. */
const names = new Map<string, string>();
/** Statement text → the text with the same values and results for distributed tables. */
const distributedTexts = new Map<string, string>();

/**
 * Matches statements that return all columns. When a newer version adds a column, such a prepared statement fails, and
 * with it every import.
 */
const ALL_COLUMNS = /^\s*SELECT \*|\bRETURNING \*/i;

/** The name under which a statement of this text is prepared; undefined for any other text. */
export const preparedName = (text: string): string | undefined => names.get(text);

/** What a connection to distributed tables sends instead of this text: for most texts the same. */
export const distributedText = (text: string): string => distributedTexts.get(text) ?? text;

/**
 * Prepares the statement that `build` makes of placeholders for the named values, under a unique name. `build` may use
 * only these values. `buildDistributed` makes the statement for tables that Citus distributes, where another is needed.
 * @returns a function that runs the statement with the values (undefined is NULL) and returns the rows.
 */
export function prepare<Value extends string, Row>(
  name: string,
  values: readonly Value[],
  build: (placeholders: Record<Value, RawBuilder<unknown>>) => RawBuilder<Row>,
  buildDistributed?: typeof build,
): (database: Kysely<Tables>, values: Record<Value, unknown>) => Promise<Row[]> {
  const placeholders = Object.fromEntries(values.map((value, i) => [value, sql.raw(`$${i + 1}`)])) as Record<
    Value,
    RawBuilder<unknown>
  >; // its keys are just these
  let text: string | undefined;
  const compile = (database: Kysely<Tables>, statement: RawBuilder<Row>): string => {
    const compiled = statement.compile(database);
    if (compiled.parameters.length > 0) throw new Error(`${name} has a value in its text`);
    if (ALL_COLUMNS.test(compiled.sql)) throw new Error(`${name} does not name the columns of its result`);
    names.set(compiled.sql, name);
    return compiled.sql;
  };
  return async (database, given) => {
    if (text === undefined) {
      text = compile(database, build(placeholders));
      if (buildDistributed) distributedTexts.set(text, compile(database, buildDistributed(placeholders)));
    }
    const parameters = values.map((value) => given[value] ?? null);
    const { rows } = await database.executeQuery<Row>(CompiledQuery.raw(text, parameters));
    return rows;
  };
}
