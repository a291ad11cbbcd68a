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
import { serviceUnavailable } from '../../../terms/errors.ts';
import { FIND_MARKS, LOCAL_SHARDS } from '../../schema/citus-insides.ts';
import { asOneValue, KEPT_MAX, type Send, versionOf } from './shard-statements.ts';

/**
 * The function's definition. `name`, `given` and `statement` are as in the function of shard-statements.ts. The name
 * under which a statement is prepared has a hash of the server's shards, which may move. Returns the number of shards
 * with the rows.
 */
const DEFINITION = `(name text, given text[], statement text) RETURNS json
  LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $function$
  DECLARE
    tables text;
    shards integer;
    kept text;
    execution text;
    replaceable text;
    rows json;
  BEGIN
    SELECT string_agg(format('%I AS NOT MATERIALIZED (%s)', local.table, local.rows), ', ' ORDER BY local.table),
      max(local.shards) INTO tables, shards FROM (${LOCAL_SHARDS}) AS local;
    IF tables IS NULL THEN RETURN json_build_object('shards', 0, 'rows', '[]'::json); END IF;
    kept := format('shard %s %s', left(md5(tables), 8), name);
    execution := format('EXECUTE %I %s', kept, (
      SELECT '(' || string_agg(quote_nullable(value), ', ' ORDER BY number) || ')'
      FROM unnest(given) WITH ORDINALITY AS given (value, number)));
    BEGIN
      EXECUTE execution INTO rows;
      RETURN json_build_object('shards', shards, 'rows', rows);
    EXCEPTION WHEN invalid_sql_statement_name THEN
      IF statement IS NULL THEN RETURN NULL; END IF;
    END;
    SELECT prepared.name INTO replaceable FROM pg_prepared_statements AS prepared
      WHERE prepared.name LIKE 'shard %' ORDER BY random() OFFSET ${KEPT_MAX - 1} LIMIT 1;
    IF FOUND THEN EXECUTE format('DEALLOCATE %I', replaceable); END IF;
    EXECUTE format('PREPARE %I AS WITH %s SELECT coalesce(json_agg(result), ''[]'') FROM (%s) AS result',
      kept, tables, statement);
    EXECUTE execution INTO rows;
    RETURN json_build_object('shards', shards, 'rows', rows);
  END $function$`;

/** The function's name: servers of another version may run meanwhile, and call theirs. */
const FUNCTION = `run_at_worker_${versionOf(DEFINITION)}`;

/** The function's signature, and the statement that creates it. */
export const RUN_AT_WORKER = `${FUNCTION}(text, text[], text)`;
export const CREATE_RUN_AT_WORKER = `CREATE FUNCTION ${FUNCTION}${DEFINITION}`;

/** The statements that run one of this text at the servers. They take its values as one, and the servers' marks. */
export type AtWorkers = { call: string; prepare: string };

export function atWorkers(name: string, text: string): AtWorkers {
  const callWith = (statement: string) => `
    SELECT ${FUNCTION}('${name} ${versionOf(text)}', $1::text[], ${statement}) AS part
    FROM shard_marks WHERE knowledge_base_id = ANY($2::uuid[])`;
  return { call: callWith('NULL'), prepare: callWith(pg.escapeLiteral(text)) };
}

/** With more knowledge bases, all servers take part. To find the shard of one takes some microseconds. */
const LOCATED_MAX = 100;

/** How often a statement is sent where shards move meanwhile. */
const TRIES_MAX = 3;

type Part = { shards: number; rows: unknown[] };

/** Sends the call to the servers. Returns their answers; undefined: one has not prepared the statement. */
async function callWorkers(send: Send, text: string, values: unknown[]): Promise<Part[] | undefined> {
  const { rows } = (await send(text, values)) as pg.QueryResult<{ part: Part | null }>;
  const parts = rows.flatMap(({ part }) => part ?? []);
  return parts.length === rows.length ? parts : undefined;
}

/**
 * Runs a statement at the servers that have some of the knowledge bases `ids`, an array or text in PostgreSQL's
 * notation; NULL: at all. Returns the rows of each server.
 * @throws SERVICE_UNAVAILABLE while shards move
 */
export async function sendToWorkers(
  send: Send,
  { call, prepare }: AtWorkers,
  { values, ids }: { values: unknown[]; ids: unknown },
): Promise<unknown[][]> {
  const named = typeof ids === 'string' ? ids.slice(1, -1).split(',') : ids;
  const located = Array.isArray(named) && named.length <= LOCATED_MAX ? named : null;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const found = (await send(FIND_MARKS, [located])) as pg.QueryResult<{ marks: string[]; shards: number }>;
    const { marks, shards } = found.rows[0] ?? {};
    const given = [asOneValue(values), `{${marks ?? []}}`];
    const parts = (await callWorkers(send, call, given)) ?? (await callWorkers(send, prepare, given)) ?? [];
    // A shard that moves meanwhile may be counted at both servers, or at none.
    if (parts.reduce((sum, part) => sum + part.shards, 0) === (shards ?? 0))
      return parts.map(({ rows }) => rows);
  }
  throw serviceUnavailable();
}
