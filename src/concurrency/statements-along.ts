/**
 * A statement that goes along with the next statement of its request: after it, in its transaction and in its round
 * trip. A round trip of its own takes an eighth of the server's time for a query.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** A prepared statement. */
export type AlongStatement = { name: string; text: string; values: unknown[] };

/** `settle`: takes the rows that the statement returns, or its error. */
export type TakenStatement = AlongStatement & { settle(rows: Promise<unknown[]>): void };

type WaitingStatement = TakenStatement & { runAlone(): Promise<unknown[]> };

/** The statement that waits for another of the request. */
type Request = { waiting?: WaitingStatement | undefined };

const current = new AsyncLocalStorage<Request>();

function take(request: Request | undefined): WaitingStatement | undefined {
  const statement = request?.waiting;
  if (request) request.waiting = undefined;
  return statement;
}

/** The statement that goes along with the one to be sent now; undefined where none waits. */
export const takeAlong = (): TakenStatement | undefined => take(current.getStore());

/**
 * Runs `act`, and lets one of its statements go along with another. If it still waits at the end, it runs alone. Where
 * `act` fails before, it does not run.
 */
export async function withStatementsAlong<T>(act: () => Promise<T>): Promise<T> {
  const request: Request = {};
  try {
    const result = await current.run(request, act);
    const last = take(request);
    last?.settle(last.runAlone());
    return result;
  } catch (error) {
    take(request)?.settle(Promise.reject(error));
    throw error;
  }
}

/** The rows of a statement, which goes along with the next statement of its request, or runs alone. */
export function goAlong(statement: AlongStatement, runAlone: () => Promise<unknown[]>): Promise<unknown[]> {
  const request = current.getStore();
  if (request === undefined || request.waiting !== undefined) return runAlone();
  const { promise, resolve } = Promise.withResolvers<unknown[]>();
  request.waiting = { ...statement, runAlone, settle: resolve };
  return promise;
}

/** By database: whether its statements take others along. The statements of a transaction take none. */
const takers = new WeakMap<object, () => boolean>();

/** Lets the statements of `database` take others along, as long as `takes` says so. */
export const setTakesAlong = (database: object, takes: () => boolean): void =>
  void takers.set(database, takes);

/** Whether the statements of `database` take others along now. Behind a pooler, none of them does. */
export const takesAlong = (database: object): boolean => takers.get(database)?.() ?? false;
