/**
 * Requests of one connection that do not wait for answers (pipelining, RFC 9112, 9.3.2). A packet may hold thousands of
 * them, and Node's parser passes them all on at once. Begun together, they took the event loop for 16 s, and gigabytes.
 */
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait for their answers on one connection. */
const PIPELINED_MAX = 128;

/** The requests of a connection: `unanswered` counts those without an answer, `waiting` begins those that wait. */
type Pipeline = { unanswered: number; waiting: Array<() => void> };

/** Reads nothing more from a connection. Without the listener, Node would read on after each complete request. */
const stopReading = (socket: Socket) => socket.on('resume', () => socket.pause()).pause();

/**
 * Handles the requests of a connection one after another, since their answers are sent in this order anyway. A
 * connection with more than PIPELINED_MAX is closed after the answers to the first of them: its client has to send the
 * rest again.
 */
export function handleInOrder(handle: RequestListener): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  return (request, response) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket) ?? { unanswered: 0, waiting: [] };
    pipelines.set(socket, pipeline);
    if (pipeline.unanswered === PIPELINED_MAX) return;
    const isFirst = pipeline.unanswered === 0;
    const isLast = ++pipeline.unanswered === PIPELINED_MAX;
    if (isLast) {
      stopReading(socket);
      response.shouldKeepAlive = false;
      response.once('finish', () => socket.destroySoon());
    }
    response.once('close', () => {
      if (pipeline.unanswered < PIPELINED_MAX) pipeline.unanswered--;
      const next = pipeline.waiting.shift();
      // Other connections' requests are answered between two of this connection.
      if (next && !socket.destroyed) setImmediate(next);
    });
    if (isFirst) handle(request, response);
    else pipeline.waiting.push(() => handle(request, response));
  };
}
