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

/** Writes numbers in network order, and text in UTF-8, into a buffer that grows. */
export function createByteWriter() {
  let buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  let length = 0;

  const reserve = (bytes: number): void => {
    if (length + bytes <= buffer.length) return;
    // Frees the old buffer, as `release` does.
    buffer = Buffer.from(buffer.buffer.transfer(Math.max(2 * buffer.length, length + bytes)));
  };
  const int32 = (value: number): void => {
    reserve(4);
    length = buffer.writeInt32BE(value, length);
  };
  return {
    int32,
    text(value: string): void {
      reserve(value.length * BYTES_PER_UNIT);
      length += buffer.write(value, length);
    },
    byte(value: number): void {
      reserve(1);
      buffer[length++] = value;
    },
    /** Writes a character from U+0800 to U+FFFF. */
    threeBytes(codePoint: number): void {
      reserve(3);
      buffer[length++] = 0xe0 | (codePoint >> 12);
      buffer[length++] = 0x80 | ((codePoint >> 6) & 0x3f);
      buffer[length++] = 0x80 | (codePoint & 0x3f);
    },
    /** Writes `values` from `start` to `end`, one by one. For a few bytes, this is faster than a call of `append`. */
    bytes(values: Uint8Array, start: number, end: number): void {
      reserve(end - start);
      for (let i = start; i < end; i++) buffer[length++] = values[i] as number; // i is in range
    },
    /** Writes text as an element of an array, after its number of bytes. */
    sizedText(value: string): void {
      reserve(4 + value.length * BYTES_PER_UNIT);
      const bytes = buffer.write(value, length + 4);
      length = buffer.writeInt32BE(bytes, length) + bytes;
    },
    /**
     * Adds `size` bytes that `write` puts into `buffer` from `start` on. For many bytes: then this is faster than one
     * by one.
     */
    append(size: number, write: (buffer: Buffer, start: number) => void): void {
      reserve(size);
      write(buffer, length);
      length += size;
    },
    /** Replaces the 32-bit number at `offset`. */
    patch: (offset: number, value: number): void => void buffer.writeInt32BE(value, offset),
    size: (): number => length,
    written: (): Buffer => buffer.subarray(0, length),
  };
}
