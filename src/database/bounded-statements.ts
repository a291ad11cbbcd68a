/**
 * Ends statements of PostgreSQL for which nobody waits any more, or that take too long: what is asked for by whom is
 * known above, and the connection on which it runs only below, hence the bounds go down beside the arguments.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { connect, type NetConnectOpts } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { searchTooLong } from '../errors.ts';

/** `signal`: aborts when nobody waits any more; it is made only for statements that take long. */
type Bounds = { endsAtMs: number; signal(): AbortSignal };

const current = new AsyncLocalStorage<Bounds>();

/**
 * Runs `act`, whose statements are cancelled once `timeMaxMs` have passed, or when `signal` aborts.
 * @throws SERVICE_UNAVAILABLE when they took too long; the signal's reason when it has aborted
 */
export const withinBounds = <T>(
  { timeMaxMs, signal }: { timeMaxMs: number; signal(): AbortSignal },
  act: () => Promise<T>,
): Promise<T> => current.run({ endsAtMs: performance.now() + timeMaxMs, signal }, act);

/** Most statements have ended by then, and nothing needs to be cancelled. */
const LONG_MS = 250;
/** The address took the connection of the statement; where it takes no other, `statement_timeout` has to do. */
const CANCEL_TIMEOUT_MS = 2_000;
/** How soon a request to cancel is repeated. */
const CANCEL_AGAIN_MS = 500;
/** CancelRequest of PostgreSQL's protocol (manual, 54.7): its length, its code, and the two numbers of the connection. */
const CANCEL_REQUEST = { bytes: 16, code: 80_877_102 };

/** What PostgreSQL told the driver when it connected; its types leave out the key. */
type Keyed = { processID: number; secretKey: number; host: string; port: number };
const keyed = (client: pg.ClientBase): Keyed => client as unknown as Keyed;

function addressOf({ host, port }: Keyed): NetConnectOpts {
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}

/**
 * Asks PostgreSQL to cancel what runs on the connection of `client`. Resolves when it has taken the request, which has
 * reached the process by then: so the next statement is safe from it. Never throws.
 */
async function cancelStatement(client: pg.ClientBase): Promise<void> {
  const { processID, secretKey } = keyed(client);
  const request = Buffer.alloc(CANCEL_REQUEST.bytes);
  [CANCEL_REQUEST.bytes, CANCEL_REQUEST.code, processID, secretKey].forEach((value, place) => {
    request.writeInt32BE(value, 4 * place);
  });
  const socket = connect(addressOf(keyed(client)));
  socket.on('error', () => {}); // its close says it
  socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
  // PostgreSQL answers nothing, and closes the connection when it has sent its signal. A pooler that waits for a
  // connection of its own would take our closing it for a change of mind.
  socket.resume().write(request);
  await once(socket, 'close');
}

const isCancelled = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '57014';

/** Calls `end` with the reason when one of the bounds is reached; returns what stops that. */
function watch({ endsAtMs, signal }: Bounds, end: (reason: unknown) => void): () => void {
  const leftMs = () => Math.max(0, endsAtMs - performance.now());
  let stopLong = () => {};
  const watchLong = () => {
    const aborting = signal();
    const onAbort = () => end(aborting.reason);
    const late = setTimeout(() => end(searchTooLong()), leftMs());
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

/** Sends a statement by `client` within the bounds of whoever has asked for it. */
export async function sendWithinBounds<T>(client: pg.ClientBase, send: () => Promise<T>): Promise<T> {
  const bounds = current.getStore();
  if (bounds === undefined) return await send();
  const state: { isOver: boolean; ending?: { reason: unknown }; cancelling?: Promise<void> } = {
    isOver: false,
  };
  const end = async (reason: unknown) => {
    state.ending ??= { reason };
    // A request that comes before the statement has begun is lost.
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
