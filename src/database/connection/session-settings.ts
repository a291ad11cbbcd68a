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
import { takeAlong } from '../../concurrency/statements-along.ts';
import { codeOf } from '../../terms/problem.ts';
import { areTablesDistributedIn, COMMIT_IN_TWO_PHASES } from '../schema/citus-insides.ts';
import { type Send, sendToShard, singleOf } from './at-shards/shard-statements.ts';
import { sendToWorkers } from './at-shards/worker-statements.ts';
import { type Settings, SINCE } from './fixed-settings.ts';
import { hasPrepared, queryAfter, queryNamed, sendWithLast } from './pg-query-insides.ts';
import { distributedForm, preparedName } from './prepared.ts';
import { CANCELLED, type Facts, type SessionChoice, setAndRead, setConfig } from './session-facts.ts';

/** A connection whose statements have their settings. */
export type Session = {
  /** There is no pooler in between. */
  isDirect: boolean;
  /** Citus distributes the tables, so that some statements have another text. */
  isDistributed: boolean;
  /** The schema with the service's tables. */
  home: string;
  /** A collation that folds the case of all letters, as SQL; undefined: the database has none but its own. */
  foldingCollation: string | undefined;
  isStandby: boolean;
  /** Transactions cannot write, as on each standby. */
  isReadOnly: boolean;
  /** Whether a statement has failed because the tables have been distributed since the session was opened. */
  isOutdated(error: unknown): boolean;
  /**
   * Whether a statement has been cancelled, but Citus may still wait for a server of shards that hangs to cancel it.
   */
  mayHang(error: unknown): boolean;
  query(text: string, values: unknown[]): Promise<unknown>;
  /**
   * Begins a transaction by `begin`, and sends its first statement by the same write. Undefined: behind a pooler, which
   * adds settings to BEGIN, and on Citus.
   */
  beginWith?(begin: string, text: string, values: unknown[]): Promise<unknown>;
};

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

/** SQLSTATEs of statements that Citus does not support, and of its errors without a code of their own. */
const REFUSED_BY_CITUS = ['0A000', 'XX000'];

/** Behind a pooler the session has another search path, so the schema is named. */
async function findDistributed(client: pg.ClientBase, home: string): Promise<boolean> {
  const { rows } = await client.query<{ are: boolean }>(`SELECT ${areTablesDistributedIn(home)} AS are`);
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
  const ids = form.inShard && values[form.inShard.idsAt];
  const knowledgeBaseId = singleOf(ids);
  const result =
    form.inShard && knowledgeBaseId && (await sendToShard(send, form.inShard, { values, knowledgeBaseId }));
  if (result) return result;
  if (form.atWorkers === undefined) return await send(form.text, values);
  const rows = form.atWorkers.combine(await sendToWorkers(send, form.atWorkers, { values, ids }));
  return { rows, rowCount: rows.length };
}

const SETTINGS_NAME = 'session_settings';
/** Of no effect on a single statement. */
const FOR_TRANSACTIONS_ONLY = ['idle_in_transaction_session_timeout', 'default_transaction_isolation'];

/** The beginning of a transaction, with the isolation that our statements count on unless the text names another. */
const beginIsolated = (text: string): string =>
  /isolation level/i.test(text) ? text : text.replace(/^[^;]*/, '$& ISOLATION LEVEL READ COMMITTED');

/** As text, a search path would be the name of a single schema. */
const toLocal = ([name, value]: [string, string]): string =>
  `; SET LOCAL ${name} = ${name === 'search_path' ? value : pg.escapeLiteral(value)}`;

/** Creates the function that sends statements with their settings over a pooler. */
async function overPooler(client: pg.ClientBase, settings: Settings, isolation: string): Promise<Send> {
  const hasNames = await keepsNames(client);
  const all = Object.entries(settings);
  const ofStatements = all.filter(([name]) => !FOR_TRANSACTIONS_ONLY.includes(name));
  const text = `SELECT ${ofStatements.map((setting) => setConfig(setting, true)).join(', ')}`;
  if (hasNames) await client.query({ name: SETTINGS_NAME, text });
  const local = { name: hasNames ? SETTINGS_NAME : '', text };
  const setLocal = all.map(toLocal).join('');
  const sendWithSettings = (statement: pg.QueryConfig) => queryAfter(client, local, statement);
  const begin = (beginning: string) => client.query(`${beginIsolated(beginning)}${setLocal}`);
  const sendAlone =
    isolation === 'read committed'
      ? sendWithSettings
      : (statement: pg.QueryConfig) => inTransaction(client, begin, statement);
  return async (text, values) => {
    if (BEGIN.test(text)) return await begin(text);
    const name = hasNames ? preparedName(text) : undefined;
    const statement = { ...(name !== undefined && { name }), text, values };
    const isAlone = client.getTransactionStatus() === 'I';
    return await (isAlone ? sendAlone(statement) : client.query(statement));
  };
}

/**
 * Sends a single statement in a transaction of its own, for two more round trips: the isolation of a transaction can
 * only be set where it begins.
 */
async function inTransaction(
  client: pg.ClientBase,
  begin: (text: string) => Promise<unknown>,
  statement: pg.QueryConfig,
): Promise<pg.QueryResult> {
  await begin('BEGIN');
  try {
    const result = await client.query(statement);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** Sends a statement, with another of its request that may go along. */
async function sendDirectly(client: pg.ClientBase, text: string, values: unknown[]): Promise<pg.QueryResult> {
  const name = preparedName(text);
  const along = name !== undefined && client.getTransactionStatus() === 'I' ? takeAlong() : undefined;
  if (along !== undefined && hasPrepared(client, along)) {
    const answers = sendWithLast(client, { name, text, values }, along);
    along.settle(answers.then(([, { rows }]) => rows));
    return (await answers)[0];
  }
  if (along !== undefined) {
    const rows = client.query({ ...along }).then(({ rows }) => rows);
    along.settle(rows);
    await rows; // a statement that fails, or is cancelled, ends the request before its statement
  }
  return name === undefined
    ? await client.query({ text, values })
    : await queryNamed(client, { name, text, values });
}

/** Our settings at this database: those that its version has, and the search path. */
function settingsAt({ version, home }: Facts, settings: Settings): Settings {
  const known = Object.entries(settings).filter(([name]) => version >= (SINCE[name] ?? 0));
  return { ...Object.fromEntries(known), search_path: `${pg.escapeIdentifier(home)}, pg_temp` };
}

/**
 * Gives the statements of a new connection these settings.
 * @throws when the database does not answer within `timeoutMs`
 */
export async function openSession(
  client: pg.ClientBase,
  choice: SessionChoice,
  timeoutMs: number,
): Promise<Session> {
  const facts = await setAndRead(client, choice, timeoutMs);
  const { isDirect, hasCitus, home, foldingCollation, isStandby, isReadOnly } = facts;
  const isDistributed = hasCitus && (await findDistributed(client, home));
  const isOutdated = (error: unknown) =>
    hasCitus && !isDistributed && REFUSED_BY_CITUS.includes(codeOf(error));
  const settings = isDistributed ? settingsForCitus(choice.settings, timeoutMs) : choice.settings;
  const send = isDirect
    ? (text: string, values: unknown[]) => sendDirectly(client, text, values)
    : await overPooler(client, settingsAt(facts, settings), facts.isolation);
  if (isDirect && isDistributed) await setAndRead(client, { ...choice, settings }, timeoutMs);
  return {
    isDirect,
    isDistributed,
    home,
    foldingCollation: foldingCollation ?? undefined,
    isStandby,
    isReadOnly,
    isOutdated,
    mayHang: (error) => isDistributed && codeOf(error) === CANCELLED,
    query: (text, values) => (isDistributed ? sendDistributed(send, text, values) : send(text, values)),
    ...(isDirect &&
      !isDistributed && {
        beginWith: (begin: string, text: string, values: unknown[]) =>
          queryAfter(client, { name: '', text: begin }, { name: preparedName(text), text, values }),
      }),
  };
}

const END = /^(commit|rollback)$/i;

/**
 * Returns a function that sends statements over a session. It keeps BEGIN until the first statement of the transaction
 * comes, which saves a round trip. A transaction that ends without any is not sent at all. Where the session cannot
 * send two statements together, nothing is kept.
 */
export function withLateBegin({ query, beginWith }: Session): Session['query'] {
  if (beginWith === undefined) return query;
  let kept: string | undefined;
  return async (text, values) => {
    if (BEGIN.test(text)) {
      kept = text;
      return { command: 'BEGIN', rows: [] };
    }
    if (kept === undefined) return await query(text, values);
    const begin = kept;
    kept = undefined;
    if (END.test(text)) return { command: text.toUpperCase(), rows: [] };
    return await beginWith(begin, text, values);
  };
}
