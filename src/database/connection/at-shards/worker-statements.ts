/**
 * Statements about many knowledge bases, at each server of shards: there they run once over all shards of the server,
 * with the text for one server. Citus would run each of their sub-selects in each shard: with its 32 shards, 500 tasks
 * for a search of all knowledge bases.
 *
 * A function at the servers prepares them, with a CTE in place of each table: its shards there. A further distributed
 * table, `shard_marks`, has a row in each shard, so that the coordinator calls the function by a statement about one
 * row for each server.
 */
import pg from 'pg';
import { FIND_MARKS, LOCAL_SHARDS } from '../../schema/citus-insides.ts';
import { KEPT_MAX, type Send, versionOf } from './shard-statements.ts';

/**
 * The function's definition. `name`, `given` and `statement` are as in the function of shard-statements.ts. The name
 * under which a statement is prepared has a hash of the server's shards, which may move.
 */
const DEFINITION = `(name text, given text[], statement text) RETURNS json
  LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $function$
  DECLARE
    tables text;
    kept text;
    execution text;
    replaceable text;
    rows json;
  BEGIN
    SELECT string_agg(format('%I AS NOT MATERIALIZED (%s)', local.table, local.rows), ', ' ORDER BY local.table)
      INTO tables FROM (${LOCAL_SHARDS}) AS local;
    IF tables IS NULL THEN RETURN '[]'; END IF;
    kept := format('shard %s %s', left(md5(tables), 8), name);
    execution := format('EXECUTE %I %s', kept, (
      SELECT '(' || string_agg(quote_nullable(value), ', ' ORDER BY number) || ')'
      FROM unnest(given) WITH ORDINALITY AS given (value, number)));
    BEGIN
      EXECUTE execution INTO rows;
      RETURN rows;
    EXCEPTION WHEN invalid_sql_statement_name THEN
      IF statement IS NULL THEN RETURN NULL; END IF;
    END;
    SELECT prepared.name INTO replaceable FROM pg_prepared_statements AS prepared
      WHERE prepared.name LIKE 'shard %' ORDER BY random() OFFSET ${KEPT_MAX - 1} LIMIT 1;
    IF FOUND THEN EXECUTE format('DEALLOCATE %I', replaceable); END IF;
    EXECUTE format('PREPARE %I AS WITH %s SELECT coalesce(json_agg(result), ''[]'') FROM (%s) AS result',
      kept, tables, statement);
    EXECUTE execution INTO rows;
    RETURN rows;
  END $function$`;

/** The function's name: servers of another version may run meanwhile, and call theirs. */
const FUNCTION = `run_at_worker_${versionOf(DEFINITION)}`;

/** The function's signature, and the statement that creates it. */
export const RUN_AT_WORKER = `${FUNCTION}(text, text[], text)`;
export const CREATE_RUN_AT_WORKER = `CREATE FUNCTION ${FUNCTION}${DEFINITION}`;

/** The statements that run one of this text at the servers. They take its values, and the marks of the servers. */
export type AtWorkers = { call: string; prepare: string };

export function atWorkers(name: string, text: string, valueCount: number): AtWorkers {
  const placeholders = Array.from({ length: valueCount }, (_, i) => `$${i + 1}`);
  const callWith = (statement: string) => `
    SELECT ${FUNCTION}('${name} ${versionOf(text)}', ARRAY[${placeholders}]::text[], ${statement}) AS rows
    FROM shard_marks WHERE knowledge_base_id = ANY($${valueCount + 1}::uuid[])`;
  return { call: callWith('NULL'), prepare: callWith(pg.escapeLiteral(text)) };
}

/** Runs a statement at all servers of shards. Returns the rows of each. @throws when one of them is away */
export async function sendToWorkers(send: Send, { call, prepare }: AtWorkers, values: unknown[]) {
  const found = (await send(FIND_MARKS, [])) as pg.QueryResult<{ marks: string[]; areAll: boolean }>;
  const { marks = [], areAll = false } = found.rows[0] ?? {};
  if (!areAll) throw new Error('a shard has no mark: repeat migrate --distribute');
  for (const text of [call, prepare]) {
    const result = (await send(text, [...values, `{${marks}}`])) as pg.QueryResult<{
      rows: unknown[] | null;
    }>;
    const parts = result.rows.map(({ rows }) => rows);
    if (parts.length !== marks.length) throw new Error('a server of shards has not answered');
    if (parts.every((rows) => rows !== null)) return parts;
  }
  throw new Error('a statement was not prepared at its servers');
}
