/**
 * The settings of our statements at the database. A direct connection gets them once. A pooler such as PgBouncer in
 * transaction mode runs each transaction in any of its sessions, which it shares between its clients. There each
 * transaction brings its settings along, and leaves none behind.
 *
 * Why not
 * - startup parameters: PgBouncer refuses them, or drops them if told to.
 * - `ALTER ROLE … SET`: it also binds other programs of the role, such as psql, and the sessions that the pooler has
 *   opened before stay without the settings, for an hour by default.
 * - a transaction around each statement: it costs two round trips.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { codeOf } from '../../terms/problem.ts';
import { ARE_TABLES_DISTRIBUTED, COMMIT_IN_TWO_PHASES, HAS_CITUS } from '../schema/citus-insides.ts';
import { processIdOf, QueryWithSettings } from './pg-insides.ts';
import { distributedForm, preparedName } from './prepared.ts';
import { type Send, sendToShard, singleOf } from './shard-statements.ts';

/** PostgreSQL's name of a setting → its value. */
export type Settings = Readonly<Record<string, string>>;

/** A connection whose statements have their settings. */
export type Session = {
  /** There is no pooler in between. */
  isDirect: boolean;
  /** Citus distributes the tables, so that some statements have another text. */
  isDistributed: boolean;
  /** Whether a statement has failed because the tables have been distributed since the session was opened. */
  isOutdated(error: unknown): boolean;
  /**
   * Whether a statement has been cancelled, but Citus may still wait for a server of shards that hangs to cancel it.
   */
  mayHang(error: unknown): boolean;
  query(text: string, values: unknown[]): Promise<unknown>;
};

const setConfig = ([name, value]: [string, string], isLocal: boolean): string =>
  `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, ${isLocal})`;

/** Whether the connection leads to the PostgreSQL process that it names: a pooler has ids of its own. */
const IS_DIRECT = 'pg_backend_pid() = $1';

/** Makes the settings those of the session, if the connection is direct. Returns whether it is. */
async function setIfDirect(
  client: pg.ClientBase,
  settings: Settings,
  timeoutMs: number,
): Promise<{ isDirect: boolean; hasCitus: boolean }> {
  const set = Object.entries(settings).map(
    (setting) => `CASE WHEN ${IS_DIRECT} THEN ${setConfig(setting, false)} END`,
  );
  const facts = [`${IS_DIRECT} AS "isDirect"`, `${HAS_CITUS} AS "hasCitus"`];
  const text = `SELECT ${[...facts, ...set].join(', ')}`;
  // Behind a pooler whose database is away, the statement would wait for two minutes, and the client with it.
  const statement = { text, values: [processIdOf(client)], query_timeout: timeoutMs };
  const { rows } = await client.query<{ isDirect: boolean; hasCitus: boolean }>(statement);
  const [{ isDirect, hasCitus } = { isDirect: false, hasCitus: false }] = rows;
  return { isDirect, hasCitus };
}

/** Time-out of one statement, if it has any, on Citus: a request at a server of shards that hangs then gets 503. */
const SHARD_TIMEOUT_MS = 20_000;

/**
 * Further settings where Citus distributes the tables. It finds a statement's shard by its values, which a plan for any
 * values does not have. A server of shards that does not answer is given up as soon as the database itself. And the
 * bounds that a transaction sets itself, such as `lock_timeout`, also hold in the shards.
 */
const settingsForCitus = (settings: Settings, timeoutMs: number): Settings => ({
  ...settings,
  ...(settings.statement_timeout && { statement_timeout: String(SHARD_TIMEOUT_MS) }),
  plan_cache_mode: 'auto',
  'citus.node_connection_timeout': String(timeoutMs),
  'citus.propagate_set_commands': 'local',
});

/** SQLSTATE of a statement that was cancelled, by a request or by its time-out. */
const CANCELLED = '57014';

/** SQLSTATEs of statements that Citus does not support, and of its errors without a code of their own. */
const REFUSED_BY_CITUS = ['0A000', 'XX000'];

async function findDistributed(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ are: boolean }>(`SELECT ${ARE_TABLES_DISTRIBUTED} AS are`);
  return rows[0]?.are === true;
}

/**
 * Whether the pooler prepares a client's named statements in each session that it gives the client: PgBouncer from 1.21
 * on with `max_prepared_statements`. It does so under names of its own. Others pass our name on to one session only.
 */
async function keepsNames(client: pg.ClientBase): Promise<boolean> {
  const name = `probe_${randomUUID()}`;
  const text = 'SELECT FROM pg_prepared_statements WHERE name = $1';
  await client.query('BEGIN'); // All statements of a transaction run in one session.
  const { rowCount: passedOn } = await client.query({ name, text, values: [name] });
  if (passedOn !== 0) await client.query(`DEALLOCATE ${pg.escapeIdentifier(name)}`);
  await client.query('COMMIT');
  return passedOn === 0;
}

const BEGIN = /^(begin|start transaction)\b/i;
const READ_ONLY = /\bread only\b/i;

/** Begins a transaction that is committed in two phases. Where that fails, none is open. */
async function beginInTwoPhases(send: Send, begin: string): Promise<unknown> {
  try {
    return await send(`${begin}; ${COMMIT_IN_TWO_PHASES}`, []);
  } catch (error) {
    // The caller rolls back no transaction whose BEGIN failed. If this fails too, the connection is lost.
    await send('ROLLBACK', []).catch(() => {});
    throw error;
  }
}

/** Sends a statement in its form for distributed tables. Transactions that may write are committed in two phases. */
async function sendDistributed(send: Send, text: string, values: unknown[]): Promise<unknown> {
  if (BEGIN.test(text) && !READ_ONLY.test(text)) return await beginInTwoPhases(send, text);
  const form = distributedForm(text);
  if (form === undefined) return await send(text, values);
  const knowledgeBaseId = form.inShard && singleOf(values[form.inShard.idsAt]);
  const result =
    form.inShard && knowledgeBaseId && (await sendToShard(send, form.inShard, [...values, knowledgeBaseId]));
  return result ?? (await send(form.text, values));
}

const SETTINGS_NAME = 'session_settings';
/** Of no effect on a single statement. */
const FOR_TRANSACTIONS_ONLY = 'idle_in_transaction_session_timeout';

/** Creates the function that sends statements with their settings over a pooler. */
async function overPooler(client: pg.ClientBase, settings: Settings): Promise<Send> {
  const hasNames = await keepsNames(client);
  const all = Object.entries(settings);
  const ofStatements = all.filter(([name]) => name !== FOR_TRANSACTIONS_ONLY);
  const text = `SELECT ${ofStatements.map((setting) => setConfig(setting, true)).join(', ')}`;
  if (hasNames) await client.query({ name: SETTINGS_NAME, text });
  const local = { name: hasNames ? SETTINGS_NAME : '', text };
  const setLocal = all.map(([name, value]) => `; SET LOCAL ${name} = ${pg.escapeLiteral(value)}`).join('');
  const sendWithSettings = (statement: pg.QueryConfig) =>
    new Promise<pg.QueryResult>((resolve, reject) => {
      client.query(
        new QueryWithSettings(local, statement, (error, result) => (error ? reject(error) : resolve(result))),
      );
    });
  return async (text, values) => {
    if (BEGIN.test(text)) return await client.query(`${text}${setLocal}`);
    const name = hasNames ? preparedName(text) : undefined;
    const statement = { ...(name !== undefined && { name }), text, values };
    const isAlone = client.getTransactionStatus() === 'I';
    return await (isAlone && ofStatements.length > 0 ? sendWithSettings(statement) : client.query(statement));
  };
}

/**
 * Gives the statements of a new connection these settings.
 * @throws when the database does not answer within `timeoutMs`
 */
export async function openSession(
  client: pg.ClientBase,
  settings: Settings,
  timeoutMs: number,
): Promise<Session> {
  const { isDirect, hasCitus } = await setIfDirect(client, settings, timeoutMs);
  const isDistributed = hasCitus && (await findDistributed(client));
  const isOutdated = (error: unknown) =>
    hasCitus && !isDistributed && REFUSED_BY_CITUS.includes(codeOf(error));
  const fitting = isDistributed ? settingsForCitus(settings, timeoutMs) : settings;
  const send = isDirect
    ? (text: string, values: unknown[]) => client.query({ name: preparedName(text), text, values })
    : await overPooler(client, fitting);
  if (isDirect && isDistributed) await setIfDirect(client, fitting, timeoutMs);
  return {
    isDirect,
    isDistributed,
    isOutdated,
    mayHang: (error) => isDistributed && codeOf(error) === CANCELLED,
    query: (text, values) => (isDistributed ? sendDistributed(send, text, values) : send(text, values)),
  };
}
