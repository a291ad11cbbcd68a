/**
 * Encodes the lexemes of a passage and their positions as a tsvector, in PostgreSQL's binary format: see
 * docs/private-insides.md.
 *
 * PostgreSQL 15 to 18 read this format; the manual does not describe it. If it changes, each import fails, and stores
 * nothing. Instead: the text of a tsvector, which the server has to parse.
 */
import type { BinaryArray } from '../../database/values/postgres-binary-insides.ts';
import {
  firstPositionOf,
  nameEnd,
  nameStart,
  type PostingsAccumulator,
  positionCountOf,
} from './postings-accumulator.ts';

/** Adds the tsvector of the current passage to a column of tsvectors. */
export const addPassageTsvector = (column: BinaryArray, accumulator: PostingsAccumulator): void =>
  column.add(tsvectorSize(accumulator), (buffer, start) => writeTsvector(accumulator, buffer, start));

/** The size of the tsvector in bytes. */
function tsvectorSize(accumulator: PostingsAccumulator): number {
  let size = 4;
  for (const lexeme of accumulator.lexemes) {
    size +=
      nameEnd(accumulator, lexeme) -
      nameStart(accumulator, lexeme) +
      2 +
      2 * positionCountOf(accumulator, lexeme);
  }
  return size;
}

/** Writes the format of `tsvectorrecv`, which sorts the lexemes itself (PostgreSQL source, tsvector.c). */
function writeTsvector(accumulator: PostingsAccumulator, buffer: Buffer, start: number): void {
  const { lexemes, positions, nextPositions } = accumulator;
  const bytes = accumulator.names.written();
  let at = buffer.writeInt32BE(lexemes.length, start);
  const writeUint16 = (value: number): void => {
    buffer[at++] = value >> 8;
    buffer[at++] = value;
  };
  for (const lexeme of lexemes) {
    const end = nameEnd(accumulator, lexeme);
    for (let i = nameStart(accumulator, lexeme); i < end; i++) buffer[at++] = bytes[i] as number; // within the array
    const count = positionCountOf(accumulator, lexeme);
    writeUint16(count);
    let index = firstPositionOf(accumulator, lexeme);
    for (let i = 0; i < count; i++) {
      writeUint16(positions[index] as number); // within the array
      index = nextPositions[index] as number;
    }
  }
}
