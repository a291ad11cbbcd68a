/**
 * A change that goes along with the next statement of its request: after it, in its transaction and in its round trip.
 * A round trip of its own takes an eighth of the server's time for a query.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** A prepared statement; its values are texts and numbers. */
export type Change = { name: string; text: string; values: unknown[] };

/** `settle`: takes the rows that the change returns, or its error. */
export type TakenChange = Change & { settle(rows: Promise<unknown[]>): void };

type WaitingChange = TakenChange & { runAlone(): Promise<unknown[]> };

/** The change that waits for a statement of the request. */
type Request = { waiting?: WaitingChange | undefined };

const current = new AsyncLocalStorage<Request>();

function take(request: Request | undefined): WaitingChange | undefined {
  const change = request?.waiting;
  if (request) request.waiting = undefined;
  return change;
}

/** The change that goes along with the statement to be sent now; undefined where none waits. */
export const takeChange = (): TakenChange | undefined => take(current.getStore());

/**
 * Runs `act`, and lets its changes go along with its statements. A change that still waits at the end runs alone. Where
 * `act` fails before, it does not run.
 */
export async function withChangesAlong<T>(act: () => Promise<T>): Promise<T> {
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

/** The rows that a change returns. It goes along with the next statement of a request, or runs alone. */
export function goAlong(change: Change, runAlone: () => Promise<unknown[]>): Promise<unknown[]> {
  const request = current.getStore();
  if (request === undefined || request.waiting !== undefined) return runAlone();
  const { promise, resolve } = Promise.withResolvers<unknown[]>();
  request.waiting = { ...change, runAlone, settle: resolve };
  return promise;
}
