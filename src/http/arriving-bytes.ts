/** The bytes of a request as they arrive. The client has to send them at a least rate. */
import type { IncomingMessage } from 'node:http';
import { bodyTooSlow } from '../errors.ts';

/** A body on a poor mobile link arrives faster than this on average. */
const LEAST_BYTES_PER_SECOND = 16 * 1024;
/** The least rate is not required before this long a wait: links pause. */
const GRACE_SECONDS = 10;

/**
 * The pieces of a body. Only the time that is spent waiting for a piece counts: a slow store does not make the sender
 * slow. The request stays open when no more pieces are taken.
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
      if (seconds > GRACE_SECONDS && receivedBytes < seconds * LEAST_BYTES_PER_SECOND) throw bodyTooSlow();
      yield next.value;
    }
  } finally {
    // Without this, neither the rest of the body nor the next request on the connection could be read.
    await pieces.return?.();
  }
}
