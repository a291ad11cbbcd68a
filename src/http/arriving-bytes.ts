/** The bytes of a request as they arrive, from a client that has to send them at some speed. */
import type { IncomingMessage } from 'node:http';
import { tooSlow } from '../errors.ts';

/** A body on a poor mobile link arrives faster than this on average. */
const LEAST_BYTES_PER_SECOND = 16 * 1024;
/** How long one may be waited for before that is asked for: links pause. */
const GRACE_SECONDS = 10;

/**
 * The pieces of a body. Only the time counts in which they are waited for: who stores them slowly does not make their
 * sender slow. The request stays open when no more are taken.
 * @throws REQUEST_TIMEOUT when the average falls below LEAST_BYTES_PER_SECOND
 */
export async function* arrivingBytes(request: IncomingMessage): AsyncGenerator<Buffer> {
  const pieces: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  let [waitedMs, receivedBytes] = [0, 0];
  try {
    for (;;) {
      const askedAtMs = performance.now();
      const next = await pieces.next();
      if (next.done) return;
      waitedMs += performance.now() - askedAtMs;
      receivedBytes += next.value.length;
      const seconds = waitedMs / 1000;
      if (seconds > GRACE_SECONDS && receivedBytes < seconds * LEAST_BYTES_PER_SECOND) throw tooSlow();
      yield next.value;
    }
  } finally {
    // The rest could not be read otherwise, nor what comes after it on the connection.
    await pieces.return?.();
  }
}
