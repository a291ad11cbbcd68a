/**
 * Statements about one knowledge base, in its shard. There they run with the text for one server, and PostgreSQL keeps
 * their plans. Citus would plan them anew at each execution: at the coordinator, and again at the server of the shard.
 *
 * A function at that server prepares them. The coordinator only calls it, by a statement on one table and one key,
 * which it passes on without much planning.
 *
 * So do statements that write into several tables: 1.5 ms instead of 4 to 8. The shard cannot be moved meanwhile,
 * because their transaction has locked its place as it began (see `COMMIT_IN_TWO_PHASES`).
 */
import { createHash } from 'node:crypto';
import pg from 'pg';
import { TABLES_NEAR } from '../../schema/citus-insides.ts';
import { arrayText, valueText } from '../../values/value-text.ts';

/**
 * Statements that a session at a server keeps. Each shard has its own, four to seven, and a ranking's plan takes
 * 1.6 MB. Of more statements, a random one is dropped: searches of the shards in turn would
 * drop the oldest just before its next use.
 */
export const KEPT_MAX = 128;

/** The first eight hexadecimal digits of a text's hash. */
export const versionOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 8);

/**
 * The function's definition. `name` stands for the text of a statement that returns JSON, and `given` has its values as
 * text. Returns the JSON; or NULL when the session has not prepared the statement for the shard, and its text,
 * `statement`, is NULL.
 *
 * In the text, each word that is a table's name becomes the name of its shard, CTEs and aliases too. So a column of the
 * result must not be named like a table. All tables must be in the schema `public`, or names would get a second part.
 */
const DEFINITION = `(shard oid, name text, given text[], statement text) RETURNS json
  LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $function$
  DECLARE
    kept text := format('shard %s %s', shard, name);
    execution text := format('EXECUTE %I %s', kept, (
      SELECT '(' || string_agg(quote_nullable(value), ', ' ORDER BY number) || ')'
      FROM unnest(given) WITH ORDINALITY AS given (value, number)));
    replaceable text;
    replaced record;
    rows json;
  BEGIN
    BEGIN
      EXECUTE execution INTO rows;
      RETURN rows;
    EXCEPTION
      WHEN invalid_sql_statement_name THEN -- a look at pg_prepared_statements would copy the texts of all
        IF statement IS NULL THEN RETURN NULL; END IF;
      WHEN undefined_table THEN -- a migration has made a table anew, whose shards have other names
        EXECUTE format('DEALLOCATE %I', kept);
        IF statement IS NULL THEN RETURN NULL; END IF;
    END;
    SELECT prepared.name INTO replaceable FROM pg_prepared_statements AS prepared
      WHERE prepared.name LIKE 'shard %' ORDER BY random() OFFSET ${KEPT_MAX - 1} LIMIT 1;
    IF FOUND THEN EXECUTE format('DEALLOCATE %I', replaceable); END IF;
    FOR replaced IN ${TABLES_NEAR} LOOP
      statement := regexp_replace(statement, format('\\m%s\\M', replaced.table), replaced.shard, 'g');
    END LOOP;
    EXECUTE format('PREPARE %I AS %s', kept, statement);
    EXECUTE execution INTO rows;
    RETURN rows;
  END $function$`;

/** The function's name: servers of another version may run meanwhile, and call theirs. */
const FUNCTION = `run_in_shard_${versionOf(DEFINITION)}`;

/** The function's signature, and the statement that creates it. */
export const RUN_IN_SHARD = `${FUNCTION}(oid, text, text[], text)`;
export const CREATE_RUN_IN_SHARD = `CREATE FUNCTION ${FUNCTION}${DEFINITION}`;

/** PostgreSQL cuts longer names (NAMEDATALEN). The rest is the shard's id and the version. */
const NAME_MAX_LENGTH = 63 - 'shard 4294967295  01234567'.length;

/**
 * The statements that run a statement in a shard. They take its values, for a read as one value and the id of the
 * knowledge base. Each returns a row with `rows`; or none where there is no such knowledge base. `call` returns NULL as
 * `rows` where the statement has to be prepared first, which `prepare` does.
 */
export type InShard = { call: string; prepare: string; isWrite: boolean };

/** The type that the text of a statement gives to a value. */
const TYPED_VALUE = /\$(\d+)::(\w+(?: varying)?(?:\[\])?)/g;

/** SQL for the values of a statement of this text as an array of texts; some are sent in binary. */
function valuesAsTexts(text: string): string {
  const types: string[] = [];
  for (const [, number, type = ''] of text.matchAll(TYPED_VALUE)) types[Number(number) - 1] = type;
  return `ARRAY[${types.map((type, i) => `$${i + 1}::${type}::text`).join(', ')}]`;
}

/**
 * `idAt`: of a write, the index of the value with the id of its knowledge base. Each of its values has a type in
 * `text`, and it returns nothing.
 */
export function inShard(name: string, text: string, { idAt }: { idAt?: number | undefined }): InShard {
  if (name.length > NAME_MAX_LENGTH) throw new Error(`the name ${name} is too long`);
  const isWrite = idAt !== undefined;
  const statement = isWrite
    ? `${text} RETURNING '[]'::json`
    : `SELECT coalesce(json_agg(result), '[]') FROM (${text}) AS result`;
  const [given, id] = isWrite ? [valuesAsTexts(text), `$${idAt + 1}`] : ['$1::text[]', '$2'];
  // Behind a pooler, two versions of the service may share a session.
  const versionedName = `${name} ${versionOf(statement)}`;
  const callWith = (prepared: string) => `
    SELECT ${FUNCTION}(tableoid, '${versionedName}', ${given}, ${prepared}) AS rows
    FROM knowledge_bases WHERE knowledge_base_id = ${id}`;
  return { call: callWith('NULL'), prepare: callWith(pg.escapeLiteral(statement)), isWrite };
}

/** The values of a statement as one: Citus takes several microseconds for each value that it passes on. */
export const asOneValue = (values: unknown[]): string => arrayText(values.map(valueText));

/** Sends a statement with its values, and returns its result. */
export type Send = (text: string, values: unknown[]) => Promise<unknown>;

/**
 * The single knowledge base that `ids` names, as its id, as an array or in PostgreSQL's notation; undefined if they are
 * others.
 */
export function singleOf(ids: unknown): string | undefined {
  if (typeof ids === 'string') return /^\{?([0-9a-f-]{36})\}?$/.exec(ids)?.[1];
  if (!Array.isArray(ids)) return;
  const [first, ...others] = ids as string[];
  return others.every((id) => id === first) ? first : undefined;
}

/** Runs a statement in the shard of `knowledgeBaseId`. Returns undefined where there is no such knowledge base. */
export async function sendToShard(
  send: Send,
  { call, prepare, isWrite }: InShard,
  { values, knowledgeBaseId }: { values: unknown[]; knowledgeBaseId: string },
) {
  const given = isWrite ? values : [asOneValue(values), knowledgeBaseId];
  for (const text of [call, prepare]) {
    const result = (await send(text, given)) as pg.QueryResult<{ rows: unknown[] | null }>;
    const [row] = result.rows;
    if (row === undefined) return;
    if (row.rows !== null) return { ...result, rows: row.rows, rowCount: row.rows.length };
  }
  throw new Error('a statement was not prepared in its shard');
}
