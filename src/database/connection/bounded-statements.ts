/**
 * Cancels PostgreSQL statements that take too long or whose request has ended. The request is known in the upper
 * layers, the statement's connection only here. So the bounds travel in an AsyncLocalStorage beside the arguments.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { connect, type NetConnectOpts } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { searchTooLong } from '../../terms/errors.ts';
import { cancelRequestOf } from './pg-insides.ts';

/**
 * - `endsAtMs`: when all statements must have ended.
 * - `statementMs`: the longest that each of them may take, without the wait for a connection.
 * - `signal`: aborts when the request or the work has ended; it is created only for statements that take long.
 */
type Bounds = { endsAtMs?: number | undefined; statementMs?: number; signal(): AbortSignal };

const current = new AsyncLocalStorage<Bounds>();

/**
 * Runs `act`. Its statements are cancelled after `timeMaxMs`, if it is given, or when `signal` aborts.
 * @throws SERVICE_UNAVAILABLE when they took too long; the signal's reason when it has aborted
 */
export const withinBounds = <T>(
  { timeMaxMs, signal }: { timeMaxMs?: number; signal(): AbortSignal },
  act: () => Promise<T>,
): Promise<T> =>
  current.run({ endsAtMs: timeMaxMs === undefined ? undefined : performance.now() + timeMaxMs, signal }, act);

const never = new AbortController();

/**
 * Runs `act`, and cancels each of its statements after `statementMs`.
 * @throws SERVICE_UNAVAILABLE when one took too long
 */
export const withStatementBound = <T>(statementMs: number, act: () => Promise<T>): Promise<T> =>
  current.run({ statementMs, signal: () => never.signal }, act);

/** Whether the statements of the present request have bounds. Those of several requests cannot be bounded together. */
export const areBounded = (): boolean => current.getStore() !== undefined;

/** Statements are watched after this time only: most have ended by then. */
const LONG_MS = 250;
/**
 * Time to connect for a cancel request. The address has accepted the statement's connection before. If it accepts no
 * further one, `statement_timeout` must end the statement.
 */
const CANCEL_TIMEOUT_MS = 2_000;
/** Interval between repeated cancel requests. */
const CANCEL_AGAIN_MS = 500;

function addressOf({ host, port }: pg.Client): NetConnectOpts {
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}

/**
 * Asks PostgreSQL to cancel the statement that runs on the connection of `client`. Resolves when PostgreSQL has
 * processed the request. The signal has reached the process by then, so that it cannot hit the next statement. Never
 * throws.
 */
async function cancelStatement(client: pg.Client): Promise<void> {
  const socket = connect(addressOf(client));
  socket.on('error', () => {}); // 'close' follows
  socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
  // PostgreSQL answers nothing, and closes the connection when it has sent its signal. We must not close it first: a
  // pooler that still waits for its own connection to the server would drop the request.
  socket.resume().write(cancelRequestOf(client));
  await once(socket, 'close');
}

const isCancelled = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '57014';

/** Calls `end` with the reason when one of the bounds is reached. Returns a function that stops the watch. */
function watch({ statementMs, signal, ...bounds }: Bounds, end: (reason: unknown) => void): () => void {
  const endsAtMs = statementMs === undefined ? bounds.endsAtMs : performance.now() + statementMs;
  const leftMs = () =>
    endsAtMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, endsAtMs - performance.now());
  let stopLong = () => {};
  const watchLong = () => {
    const aborting = signal();
    const onAbort = () => end(aborting.reason);
    const late = endsAtMs === undefined ? undefined : setTimeout(() => end(searchTooLong()), leftMs());
    stopLong = () => {
      clearTimeout(late);
      aborting.removeEventListener('abort', onAbort);
    };
    if (aborting.aborted) onAbort();
    else aborting.addEventListener('abort', onAbort, { once: true });
  };
  const soon = setTimeout(watchLong, Math.min(LONG_MS, leftMs()));
  return () => {
    clearTimeout(soon);
    stopLong();
  };
}

/** Sends a statement by `client` within the bounds of the request that it belongs to. */
export async function sendWithinBounds<T>(client: pg.Client, send: () => Promise<T>): Promise<T> {
  const bounds = current.getStore();
  if (bounds === undefined) return await send();
  const state: { isOver: boolean; ending?: { reason: unknown }; cancelling?: Promise<void> } = {
    isOver: false,
  };
  const end = async (reason: unknown) => {
    state.ending ??= { reason };
    // A cancel request that arrives before the statement has begun has no effect, hence the repetition.
    while (!state.isOver) {
      state.cancelling = cancelStatement(client);
      await state.cancelling;
      await delay(CANCEL_AGAIN_MS, undefined, { ref: false });
    }
  };
  const stop = watch(bounds, (reason) => void (state.ending ?? end(reason)));
  try {
    return await send();
  } catch (error) {
    throw state.ending !== undefined && isCancelled(error) ? state.ending.reason : error;
  } finally {
    state.isOver = true;
    stop();
    await state.cancelling;
  }
}
