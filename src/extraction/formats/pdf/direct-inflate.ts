/** What pdf.js inflates the streams of a file with. */
import { inflateSync } from 'node:zlib';

type Piece = { done: boolean; value: Uint8Array | undefined };

/**
 * As much of the standard's `DecompressionStream` as pdf.js uses: one write, then reads until it is done. Node's own
 * one loads its web streams and hands each stream of a file to another thread, which takes longer than to inflate it. A
 * stream that is damaged, or not of this format, rejects the read; pdf.js then inflates it by itself as far as it goes.
 */
export class DirectInflate {
  readonly #isDeflate: boolean;
  #compressed: Uint8Array | undefined;

  constructor(format: string) {
    this.#isDeflate = format === 'deflate';
  }

  readonly writable = {
    getWriter: () => ({
      write: async (compressed: Uint8Array): Promise<void> => {
        this.#compressed = compressed;
      },
      close: async (): Promise<void> => {},
    }),
  };

  readonly readable = {
    getReader: () => ({
      read: async (): Promise<Piece> => {
        const compressed = this.#compressed;
        if (compressed === undefined) return { done: true, value: undefined };
        this.#compressed = undefined;
        if (!this.#isDeflate) throw new TypeError('not deflate');
        const { buffer, byteOffset, byteLength } = inflateSync(compressed);
        return { done: false, value: new Uint8Array(buffer, byteOffset, byteLength) };
      },
    }),
  };
}
