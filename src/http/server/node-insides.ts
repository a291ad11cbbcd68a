/**
 * What the service uses of Node's HTTP server beyond its documentation, as of Node 22 to 24: see
 * docs/private-insides.md.
 *
 * - The parser calls `push` of a request with each piece of its body, and pauses the connection when it returns false.
 *   Instead: count the pieces at the socket, before they are parsed.
 * - `net.Server.close` may be called on an HTTP server. Instead: `closeIdleConnections` replaced by nothing during
 *   `close`.
 */
import { IncomingMessage, type Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/**
 * Creates the class of a server's requests. It counts the pieces of a body (chunks, or the bytes of a packet) and their
 * bytes as they arrive. When `isRefused` says so, it calls `refuse` once, and reads no further.
 */
export const createCountingRequest = (
  isRefused: (pieces: number, bytes: number) => boolean,
  refuse: (socket: Socket) => void,
): typeof IncomingMessage =>
  class CountingRequest extends IncomingMessage {
    #pieces = 0;
    #bytes = 0;
    #isRefused = false;

    // Node's parser calls `push` with each piece, and stops reading when `push` returns false.
    override push(piece: unknown, encoding?: BufferEncoding): boolean {
      if (this.#isRefused) return false;
      if (Buffer.isBuffer(piece)) {
        this.#pieces++;
        this.#bytes += piece.length;
        this.#isRefused = isRefused(this.#pieces, this.#bytes);
      }
      if (!this.#isRefused) return super.push(piece, encoding);
      refuse(this.socket);
      return false;
    }
  };

/**
 * Stops listening. Resolves when all connections have ended. `http.Server.close` would cut off clients that have an
 * answer and are about to send their next request.
 */
export const stopListening = (server: Server): Promise<void> =>
  new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
