/**
 * PostgreSQL's binary forms of arrays, of jsonb and of bits, as values of statements: see docs/private-insides.md. An
 * array holds a column of many rows, and the server reads it without the parsing that text and JSON need. `pg` sends a
 * Buffer in binary form as it is.
 *
 * PostgreSQL 15 to 18 read these forms; the manual does not describe them. If one changes, each import fails, and
 * stores nothing. Instead: a list as the value, of which `pg` makes text.
 */
import { createByteWriter } from './byte-writer.ts';

/** Object ids of the element types, the same in every PostgreSQL (its catalogue's pg_type.dat). */
export const elementTypes = { integer: 23, text: 25, varbit: 1562, tsvector: 3614, jsonb: 3802 } as const;

/** The first byte of a jsonb in binary form; JSON in UTF-8 follows (`jsonb_recv` in PostgreSQL's source, jsonb.c). */
export const JSONB_VERSION = 1;

/** The offset of the number of elements in the header: after the dimensions, a flag and the element type. */
const COUNT_OFFSET = 12;
/** The length that array_recv reads as a NULL. */
const NULL_LENGTH = -1;

export type BinaryArray = ReturnType<typeof createBinaryArray>;

/** An array of one dimension in the form that `array_recv` reads (PostgreSQL source, arrayfuncs.c). */
export function createBinaryArray(elementType: number) {
  const writer = createByteWriter();
  let count = 0;
  for (const field of [1, 0, elementType, count, 1]) writer.int32(field); // dimensions, flag, type, count, first index
  return {
    addInteger(value: number | null): void {
      count++;
      writer.int32(value === null ? NULL_LENGTH : 4);
      if (value !== null) writer.int32(value);
    },
    addText(value: string): void {
      count++;
      writer.sizedText(value);
    },
    /** Adds whole bytes as bits, the highest bit first, in the form that `varbit_recv` reads (varbit.c). */
    addBits(bytes: Uint8Array | undefined): void {
      count++;
      writer.int32(bytes === undefined ? NULL_LENGTH : 4 + bytes.length);
      if (bytes === undefined) return;
      writer.int32(8 * bytes.length);
      writer.bytes(bytes, 0, bytes.length);
    },
    /** Adds an element of `size` bytes in its type's own binary form. `write` puts it into `buffer` from `start` on. */
    add(size: number, write: (buffer: Buffer, start: number) => void): void {
      count++;
      writer.int32(size);
      writer.append(size, write);
    },
    /** The number of elements so far. */
    count: (): number => count,
    /** The array so far. */
    toBuffer(): Buffer {
      writer.patch(COUNT_OFFSET, count);
      return writer.written();
    },
  };
}
