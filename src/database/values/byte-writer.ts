/** Bytes that are written one after another, as PostgreSQL's protocol has them. */

/**
 * Frees unused bytes, and all bytes that share their buffer: never call it with bytes from Node's pool. Otherwise V8
 * would keep up to 64 MB of such buffers.
 */
export function release({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}

/** A full buffer doubles. Most columns of a document with one passage need no more than this. */
const INITIAL_BYTES = 256;
/** The most bytes that a UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

export type ByteWriter = ReturnType<typeof createByteWriter>;

/** The written bytes are the first `length` of `buffer`. */
type Written = { buffer: Buffer<ArrayBuffer>; length: number };

function reserve(written: Written, bytes: number): void {
  const { buffer, length } = written;
  if (length + bytes <= buffer.length) return;
  // Frees the old buffer, as `release` does.
  written.buffer = Buffer.from(buffer.buffer.transfer(Math.max(2 * buffer.length, length + bytes)));
}

const textWriter = (written: Written) => ({
  text(value: string): void {
    reserve(written, value.length * BYTES_PER_UNIT);
    written.length += written.buffer.write(value, written.length);
  },
  /** Writes text as an element of an array, after its number of bytes. */
  sizedText(value: string): void {
    reserve(written, 4 + value.length * BYTES_PER_UNIT);
    const bytes = written.buffer.write(value, written.length + 4);
    written.length = written.buffer.writeInt32BE(bytes, written.length) + bytes;
  },
  /** Writes a character from U+0800 to U+FFFF. */
  threeBytes(codePoint: number): void {
    reserve(written, 3);
    written.buffer[written.length++] = 0xe0 | (codePoint >> 12);
    written.buffer[written.length++] = 0x80 | ((codePoint >> 6) & 0x3f);
    written.buffer[written.length++] = 0x80 | (codePoint & 0x3f);
  },
});

/** Writes numbers in network order, and text in UTF-8, into a buffer that grows. */
export function createByteWriter() {
  const written: Written = { buffer: Buffer.allocUnsafeSlow(INITIAL_BYTES), length: 0 };
  return {
    ...textWriter(written),
    int32(value: number): void {
      reserve(written, 4);
      written.length = written.buffer.writeInt32BE(value, written.length);
    },
    byte(value: number): void {
      reserve(written, 1);
      written.buffer[written.length++] = value;
    },
    /** Writes `values` from `start` to `end`, one by one. For a few bytes, this is faster than a call of `append`. */
    bytes(values: Uint8Array, start: number, end: number): void {
      reserve(written, end - start);
      for (let i = start; i < end; i++) written.buffer[written.length++] = values[i] as number; // i is in range
    },
    /**
     * Adds `size` bytes that `write` puts into `buffer` from `start` on. For many bytes: then this is faster than one
     * by one.
     */
    append(size: number, write: (buffer: Buffer, start: number) => void): void {
      reserve(written, size);
      write(written.buffer, written.length);
      written.length += size;
    },
    /** Replaces the 32-bit number at `offset`. */
    patch: (offset: number, value: number): void => void written.buffer.writeInt32BE(value, offset),
    size: (): number => written.length,
    written: (): Buffer => written.buffer.subarray(0, written.length),
  };
}
