/**
 * Requests whose bodies must not come in crumbs. Each piece of a body, a chunk or what a packet brings, costs as much as
 * some kilobytes, and takes a hundred times its memory until it is read: bytes that come one by one hold up everybody.
 */
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Pieces that any body may have. */
const FREE_PIECES = 100;
/** What further ones hold on average. Clients that write a body piece by piece write lines, or more. */
const LEAST_PIECE_BYTES = 16;

/** The class of a server's requests; `refuse` ends the connection of one that comes in crumbs. */
export const createPiecedRequest = (refuse: (socket: Socket) => void): typeof IncomingMessage =>
  class PiecedRequest extends IncomingMessage {
    #pieces = 0;
    #bytes = 0;
    #isRefused = false;

    // Node's parser hands every piece over by it, and reads no further once it has returned false.
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
