/** Reads the bytes of a request as they arrive, at a required minimum rate. */
import type { IncomingMessage } from 'node:http';
import { bodyTooSlow } from '../../terms/errors.ts';

/** The minimum average rate. Even a poor mobile link is faster. */
const LEAST_BYTES_PER_SECOND = 16 * 1024;
/** The rate is checked only after this much waiting, since links pause. */
const GRACE_SECONDS = 10;

/**
 * The pieces of a body. The rate counts only the time spent waiting for a piece: a slow consumer does not make the
 * sender slow. The request stays open when the consumer stops early.
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
