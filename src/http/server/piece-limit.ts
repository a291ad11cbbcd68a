/**
 * Refuses requests whose bodies arrive in tiny pieces. Each piece (a chunk, or the bytes of a packet) takes as much
 * time as some kilobytes. An unread piece of one byte takes a hundred times its size in memory. A body that arrives
 * byte by byte would delay all clients.
 */
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Any body may have this many pieces. */
const FREE_PIECES = 100;
/** The minimum average size of further pieces. Clients that write a body piece by piece write at least lines. */
const LEAST_PIECE_BYTES = 16;

/** Creates the class of a server's requests. `refuse` ends the connection of a request with too many pieces. */
export const createPieceLimitedRequest = (refuse: (socket: Socket) => void): typeof IncomingMessage =>
  class PieceLimitedRequest extends IncomingMessage {
    #pieces = 0;
    #bytes = 0;
    #isRefused = false;

    // Node's parser calls `push` with each piece, and stops reading when `push` returns false.
    override push(piece: unknown, encoding?: BufferEncoding): boolean {
      if (this.#isRefused) return false;
      if (Buffer.isBuffer(piece)) {
        this.#pieces++;
        this.#bytes += piece.length;
        this.#isRefused = this.#pieces > FREE_PIECES + this.#bytes / LEAST_PIECE_BYTES;
      }
      if (!this.#isRefused) return super.push(piece, encoding);
      refuse(this.socket);
      return false;
    }
  };
