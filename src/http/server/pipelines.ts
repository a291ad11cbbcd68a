/**
 * Pipelining (RFC 9112, 9.3.2): a client may send further requests before it has the answer to the first. A packet may
 * hold thousands of them, and Node's parser emits them all at once. Started together, they blocked the event loop for
 * 16 s and took gigabytes.
 */
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** The most unanswered requests on one connection. */
const PIPELINED_MAX = 128;

/** The requests of a connection. `unanswered`: how many have no answer yet. `waiting`: starts the next ones. */
type Pipeline = { unanswered: number; waiting: Array<() => void> };

/** Stops reading a connection. Without the listener, Node would resume after each complete request. */
const stopReading = (socket: Socket) => socket.on('resume', () => socket.pause()).pause();

/**
 * Handles the requests of a connection one after another, since their answers are sent in this order anyway. A
 * connection with more than PIPELINED_MAX requests is closed after the answers to the first PIPELINED_MAX. Its client
 * has to send the rest again.
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
      response.setHeader('Connection', 'close');
      response.once('finish', () => socket.destroySoon());
    }
    response.once('close', () => {
      if (pipeline.unanswered < PIPELINED_MAX) pipeline.unanswered--;
      const next = pipeline.waiting.shift();
      // Requests of other connections are handled between two of this one.
      if (next && !socket.destroyed) setImmediate(next);
    });
    if (isFirst) handle(request, response);
    else pipeline.waiting.push(() => handle(request, response));
  };
}
