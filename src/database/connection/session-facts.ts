/** What a new connection tells about its database, as it gets its settings. */
import pg from 'pg';
import { codeOf } from '../../terms/problem.ts';
import { HAS_CITUS } from '../schema/citus-insides.ts';
import { type Settings, SINCE } from './fixed-settings.ts';
import { homeSchema, type SchemaChoice, searchPathOf } from './home-schema.ts';
import { processIdOf } from './pg-insides.ts';

/** What a session is to have: settings, and the schema of its tables. */
export type SessionChoice = { settings: Settings; schema: SchemaChoice };

/** SQL that sets a setting; `isLocal`: until the transaction ends. */
export const setConfig = ([name, value]: [string, string], isLocal: boolean): string =>
  `pg_catalog.set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, ${isLocal})`;

const VERSION = `pg_catalog.current_setting('server_version_num')::int`;

/** What a new connection tells about its database. */
export type Facts = {
  /** Whether the connection leads to the PostgreSQL process that it names: a pooler has ids of its own. */
  isDirect: boolean;
  hasCitus: boolean;
  /** As in server_version_num. */
  version: number;
  /** The schema with the service's tables. */
  home: string;
  /** How transactions are isolated where nothing else is said. */
  isolation: string;
  foldingCollation: string | null;
  isStandby: boolean;
  isReadOnly: boolean;
};

/**
 * SQL for a collation of PostgreSQL's own that folds the case of all letters, in the same way for all languages: the
 * database's may fold English letters only, or fold as Turkish does. NULL: there is none.
 */
const FOLDING_COLLATION = `(
  SELECT 'pg_catalog.' || pg_catalog.quote_ident(collname) FROM pg_catalog.pg_collation
  WHERE collnamespace = 'pg_catalog'::regnamespace
    AND collname = ANY ('{pg_c_utf8,und-x-icu,C.utf8,C.UTF-8,en_US.utf8,en-x-icu}'::name[])
    AND collencoding IN (-1, (
      SELECT encoding FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()))
  ORDER BY pg_catalog.array_position('{pg_c_utf8,und-x-icu,C.utf8,C.UTF-8,en_US.utf8,en-x-icu}'::name[], collname)
  LIMIT 1)`;

/** Time-outs that would end the next statement; Citus's own, with a point in their names, end none. */
const isTimeout = (name: string): boolean => /^\w+_timeout$/.test(name);

/** SQLSTATE of a statement that was cancelled, by a request or by its time-out. */
export const CANCELLED = '57014';

/**
 * For the rest of a message, whose statements are one transaction. A `statement_timeout` of the role then holds for
 * SET alone. That is not planned, so that `jit_above_cost = 0` compiles nothing for it, which takes longer than 10 ms.
 */
const UNHINDERED = 'SET LOCAL statement_timeout = 0; SET LOCAL jit = off';

/** How often a first statement is sent. */
const TRIES_MAX = 10;

/**
 * Sends the first statements of a connection. A `statement_timeout` of the role holds for the first one, which takes
 * longer than a millisecond under load.
 */
async function despiteTimeout(send: () => Promise<unknown>): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (codeOf(error) !== CANCELLED || tries === TRIES_MAX) throw error;
    }
  }
}

/**
 * Reads the facts, and applies the settings to the session, if the connection is direct. The time-outs of a role
 * may be too short even for that: they go first, by short statements of the same message.
 */
export async function setAndRead(
  client: pg.ClientBase,
  { settings, schema }: SessionChoice,
  timeoutMs: number,
): Promise<Facts> {
  const isDirect = `pg_catalog.pg_backend_pid() = ${Number(processIdOf(client))}`;
  const setIfDirect = ([name, value]: [string, string]) =>
    `CASE WHEN ${isDirect} AND ${VERSION} >= ${SINCE[name] ?? 0} THEN ${setConfig([name, value], false)} END`;
  const all = Object.entries(settings);
  const first = all.filter(([name]) => isTimeout(name)).map(([name]) => setIfDirect([name, '0']));
  const path = `pg_catalog.set_config('search_path', ${searchPathOf('home')}, false)`;
  // The schema is found by the role's own search path, which the same statement then replaces.
  const text = `
    ${UNHINDERED};
    SELECT ${first.join(', ')};
    WITH found AS MATERIALIZED (SELECT ${homeSchema(schema)} AS home)
    SELECT ${isDirect} AS "isDirect", ${HAS_CITUS} AS "hasCitus", ${VERSION} AS version, home,
      pg_catalog.current_setting('default_transaction_isolation') AS isolation,
      ${FOLDING_COLLATION} AS "foldingCollation", pg_catalog.pg_is_in_recovery() AS "isStandby",
      pg_catalog.current_setting('transaction_read_only')::bool AS "isReadOnly", CASE WHEN ${isDirect} THEN ${path} END,
      ${all.map(setIfDirect).join(', ')}
    FROM found`;
  // Behind a pooler whose database is unreachable, the statement would wait for two minutes, and the client with it.
  const send = (): Promise<unknown> => client.query({ text, query_timeout: timeoutMs } as pg.QueryConfig);
  const results = await despiteTimeout(send);
  const facts = (results as pg.QueryResult<Facts>[]).at(-1); // of a message with several statements
  if (facts?.rows[0] === undefined) throw new Error('the database says nothing about itself');
  return facts.rows[0];
}
