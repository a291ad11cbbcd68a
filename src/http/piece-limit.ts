/**
 * Requests whose bodies must not arrive in crumbs. Each piece of a body (a chunk, or the bytes of a packet) costs as
 * much as some kilobytes. Until it is read, it takes a hundred times its memory. A body that comes byte by byte delays
 * all clients.
 */
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Pieces that any body may have. */
const FREE_PIECES = 100;
/** The least average size of further pieces. Clients that write a body piece by piece write lines, or more. */
const LEAST_PIECE_BYTES = 16;

/** The class of a server's requests. `refuse` ends the connection of a request whose body comes in crumbs. */
export const createPieceLimitedRequest = (refuse: (socket: Socket) => void): typeof IncomingMessage =>
  class PieceLimitedRequest extends IncomingMessage {
    #pieces = 0;
    #bytes = 0;
    #isRefused = false;

    // Node's parser passes each piece to `push`, and reads no further after `push` has returned false.
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
