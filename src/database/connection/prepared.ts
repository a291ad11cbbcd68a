/**
 * Statements of fixed text, which PostgreSQL parses and plans once for each connection (see `PLANNING` in pool.ts).
 */
import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import { type Read, sharedReadsOf } from '../../concurrency/shared-round-trips.ts';
import { goAlong, takesAlong } from '../../concurrency/statements-along.ts';
import { codeOf } from '../../terms/problem.ts';
import { FIND_MARKS } from '../schema/citus-insides.ts';
import type { Tables } from '../schema/tables.ts';
import { type InShard, inShard } from './at-shards/shard-statements.ts';
import { type AtWorkers, atWorkers } from './at-shards/worker-statements.ts';
import { areBounded } from './bounded-statements.ts';

/**
 * A statement for tables that Citus distributes, with the values and results of one for a single server.
 *
 * - `build` makes its text, where it is not to run with the text for one server.
 * - `ids`: the value with the knowledge bases that it reads, if it reads distributed tables only. If they are one, the
 *   statement for a single server runs in its shard instead (see shard-statements.ts).
 * - `buildInShard` makes the text that runs there, if the statement for a single server also reads other tables.
 * - `combine`: the statement runs at each server of shards instead, over all its shards (see worker-statements.ts), and
 *   this makes one result of the servers' results.
 * - `isWrite`: it writes rows of the knowledge base whose id is the value `ids`, and returns nothing. Citus does not
 *   see what it writes. To be committed in two phases, its transaction needs another statement that writes there.
 */
export type DistributedStatement<Value extends string, Row> = {
  build?: (placeholders: Record<Value, RawBuilder<unknown>>) => RawBuilder<Row>;
  ids?: Value;
  buildInShard?: (placeholders: Record<Value, RawBuilder<unknown>>) => RawBuilder<Row>;
  combine?: (parts: Row[][]) => Row[];
  isWrite?: boolean;
};

/** What a session at distributed tables sends instead of a statement. `idsAt`: the index of the value `ids`. */
type DistributedForm = {
  text: string;
  inShard?: InShard & { idsAt: number };
  atWorkers?: AtWorkers & { combine: (parts: unknown[][]) => unknown[] };
};

/** Statement text → the name under which connections prepare it. */
const names = new Map<string, string>([[FIND_MARKS, 'find_shard_marks']]);
const distributedForms = new Map<string, DistributedForm>();

/**
 * Matches statements that return all columns. When a newer version adds a column, such a prepared statement fails, and
 * with it every import.
 */
const ALL_COLUMNS = /^\s*SELECT \*|\bRETURNING \*/i;

/** The name under which a statement of this text is prepared; undefined for any other text. */
export const preparedName = (text: string): string | undefined => names.get(text);

/** What a session at distributed tables sends instead of the statement of this text; undefined for the same. */
export const distributedForm = (text: string): DistributedForm | undefined => distributedForms.get(text);

type Build<Value extends string, Row> = (placeholders: Record<Value, RawBuilder<unknown>>) => RawBuilder<Row>;
/** `isAlone`: a read that takes longer than others of its statement, as a long page does, shares nothing. */
type Run<Value extends string, Row> = (
  database: Kysely<Tables>,
  values: Record<Value, unknown>,
  isAlone?: boolean,
) => Promise<Row[]>;

/** Sends a prepared statement, and returns its rows. */
type Send = (database: Kysely<Tables>, text: string, parameters: unknown[]) => Promise<unknown[]>;

/** What collects the statements of a transaction that are to go together, by what stands for the transaction. */
const collectors = new WeakMap<object, (statement: Read) => Promise<unknown[]>>();

/** Sends a prepared statement over a connection of the pool, without Kysely's own steps. Returns its rows. */
type DirectSend = (text: string, parameters: unknown[]) => Promise<unknown[]>;

/** By database. A transaction has none: its statements stay on its own connection. */
const directSends = new WeakMap<object, DirectSend>();

export const setDirectSend = (database: Kysely<Tables>, send: DirectSend): void =>
  void directSends.set(database, send);

const sendAlone: Send = async (database, text, parameters) => {
  const sendDirectly = directSends.get(database);
  if (sendDirectly) return await sendDirectly(text, parameters);
  const collect = collectors.get(database);
  if (collect) return await collect({ text, values: parameters });
  return (await database.executeQuery(CompiledQuery.raw(text, parameters))).rows;
};

/** SQLSTATE of a statement that PostgreSQL ignores, because an earlier one of its transaction has failed. */
const ABORTED = '25P02';

/** Stands for several statements, which are its values. The result of each is a row. */
export const TOGETHER = '-- statements of one round trip';

type WaitingStatement = Read & PromiseWithResolvers<unknown[]>;

/**
 * Runs prepared statements of a transaction in one round trip, one after the other. `act` begins them all over the
 * database that it gets, before it waits for any; those that it begins later are sent alone.
 * @throws the error of the first that fails, or what `act` makes of its rows
 */
export async function inOneRoundTrip<Results extends unknown[]>(
  transaction: Kysely<Tables>,
  act: (together: Kysely<Tables>) => { [Index in keyof Results]: Promise<Results[Index]> },
): Promise<Results> {
  if (collectors.has(transaction)) return (await Promise.all(act(transaction))) as Results;
  const together = transaction.withoutPlugins(); // another object for the same transaction
  const statements: WaitingStatement[] = [];
  collectors.set(together, (statement) => {
    const result = Promise.withResolvers<unknown[]>();
    statements.push({ ...statement, ...result });
    return result.promise;
  });
  const settled = Promise.allSettled(act(together));
  collectors.delete(together);
  const sent = CompiledQuery.raw(TOGETHER, statements);
  const answers = (await transaction.executeQuery(sent)).rows as PromiseSettledResult<unknown[]>[]; // of each statement
  for (const [i, answer] of answers.entries())
    if (answer.status === 'fulfilled') statements[i]?.resolve(answer.value);
    else statements[i]?.reject(answer.reason);
  const results = await settled;
  // What `act` reads after a statement fails too, if a later one of these has failed.
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (reasons.length > 0) throw reasons.find((reason) => codeOf(reason) !== ABORTED) ?? reasons[0];
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as Results; // none has failed
}

const sendWithOthers: Send = (database, text, parameters) => {
  const read = areBounded() ? undefined : sharedReadsOf(database);
  return read ? read({ text, values: parameters }) : sendAlone(database, text, parameters);
};

/** Where it cannot go along, it runs beside the statements of its request. */
const sendAlong: Send = (database, text, parameters) => {
  const runAlone = () => sendAlone(database, text, parameters);
  const name = preparedName(text);
  if (name === undefined || !takesAlong(database)) return runAlone();
  return goAlong({ name, text, values: parameters }, runAlone);
};

/** From now on, connections prepare this statement under `name`. @returns its text */
function register(name: string, { sql: text, parameters }: CompiledQuery): string {
  if (parameters.length > 0) throw new Error(`${name} has a value in its text`);
  if (ALL_COLUMNS.test(text)) throw new Error(`${name} does not name the columns of its result`);
  names.set(text, name);
  return text;
}

/** A statement that is prepared, and its text for tables that are not distributed. */
type Plain<Value extends string> = {
  name: string;
  values: readonly Value[];
  placeholders: Record<Value, RawBuilder<unknown>>;
  text: string;
};

/** The forms of the statement `plain` for tables that Citus distributes. */
function makeForm<Value extends string, Row>(
  database: Kysely<Tables>,
  { name, values, placeholders, text: plain }: Plain<Value>,
  { build, ids, buildInShard, combine, isWrite = false }: DistributedStatement<Value, Row>,
): DistributedForm {
  const compile = (build: Build<Value, Row>) => register(name, build(placeholders).compile(database));
  const form = { text: build ? compile(build) : plain };
  if (ids === undefined) return form;
  const inOneShard = buildInShard ? compile(buildInShard) : plain;
  const idsAt = values.indexOf(ids);
  const statements = inShard(name, inOneShard, { idAt: isWrite ? idsAt : undefined });
  names.set(statements.call, `${name}_in_shard`);
  const inOne = { ...form, inShard: { ...statements, idsAt } };
  if (combine === undefined) return inOne;
  const calls = atWorkers(name, inOneShard);
  names.set(calls.call, `${name}_at_workers`);
  return {
    ...inOne,
    text: inOneShard,
    atWorkers: { ...calls, combine: combine as (parts: unknown[][]) => unknown[] },
  }; // of its rows
}

function prepareFor<Value extends string, Row>(
  name: string,
  values: readonly Value[],
  {
    build,
    distributed,
    send,
  }: { build: Build<Value, Row>; distributed?: DistributedStatement<Value, Row> | undefined; send: Send },
): Run<Value, Row> {
  const placeholders = Object.fromEntries(values.map((value, i) => [value, sql.raw(`$${i + 1}`)])) as Record<
    Value,
    RawBuilder<unknown>
  >; // its keys are just these
  let text: string | undefined;
  return async (database, given, isAlone = false) => {
    if (text === undefined) {
      text = register(name, build(placeholders).compile(database));
      const plain = { name, values, placeholders, text };
      if (distributed) distributedForms.set(text, makeForm(database, plain, distributed));
    }
    const parameters = values.map((value) => given[value] ?? null);
    return (await (isAlone ? sendAlone : send)(database, text, parameters)) as Row[]; // as its builder says
  };
}

/**
 * Prepares the statement that `build` makes of placeholders for the named values, under a unique name. `build` may use
 * only these values. `distributed` is the statement for tables that Citus distributes, where another is needed.
 * @returns a function that runs the statement with the values (undefined is NULL) and returns the rows.
 */
export const prepare = <Value extends string, Row>(
  name: string,
  values: readonly Value[],
  build: Build<Value, Row>,
  distributed?: DistributedStatement<Value, Row>,
): Run<Value, Row> => prepareFor(name, values, { build, distributed, send: sendAlone });

/**
 * The same for a read of few rows by an index. Outside of transactions it shares a round trip with such reads of other
 * requests (see concurrency/shared-round-trips.ts).
 */
export const prepareRead = <Value extends string, Row>(
  name: string,
  values: readonly Value[],
  build: Build<Value, Row>,
  distributed?: DistributedStatement<Value, Row>,
): Run<Value, Row> => prepareFor(name, values, { build, distributed, send: sendWithOthers });

/** The same for a statement that goes along with the next one of its request (see statements-along.ts). */
export const prepareAlong = <Value extends string, Row>(
  name: string,
  values: readonly Value[],
  build: Build<Value, Row>,
): Run<Value, Row> => prepareFor(name, values, { build, send: sendAlong });
