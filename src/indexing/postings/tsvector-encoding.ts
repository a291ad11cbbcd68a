/** Writes the lexemes of a passage and their positions as a PostgreSQL tsvector. */
import type { BinaryArray } from '../../binary-array.ts';
import {
  firstPlaceOf,
  nameEnd,
  nameStart,
  type PostingsAccumulator,
  placeCountOf,
} from './postings-accumulator.ts';

/** Adds the tsvector of the current passage to a column of tsvectors. */
export const addPassageTsvector = (column: BinaryArray, table: PostingsAccumulator): void =>
  column.add(tsvectorSize(table), (buffer, start) => writeTsvector(table, buffer, start));

/** The size of the tsvector in bytes. */
function tsvectorSize(table: PostingsAccumulator): number {
  let size = 4;
  for (const lexeme of table.found) {
    size += nameEnd(table, lexeme) - nameStart(table, lexeme) + 2 + 2 * placeCountOf(table, lexeme);
  }
  return size;
}

/** Writes the format of `tsvectorrecv`, which sorts the lexemes itself (PostgreSQL source, tsvector.c). */
function writeTsvector(table: PostingsAccumulator, buffer: Buffer, start: number): void {
  const { found, places, nextPlaces } = table;
  const bytes = table.names.written();
  let at = buffer.writeInt32BE(found.length, start);
  const writeUint16 = (value: number): void => {
    buffer[at++] = value >> 8;
    buffer[at++] = value;
  };
  for (const lexeme of found) {
    const end = nameEnd(table, lexeme);
    for (let i = nameStart(table, lexeme); i < end; i++) buffer[at++] = bytes[i] as number; // a byte that was written
    const count = placeCountOf(table, lexeme);
    writeUint16(count);
    let place = firstPlaceOf(table, lexeme);
    for (let i = 0; i < count; i++) {
      writeUint16(places[place] as number); // every index is in the list
      place = nextPlaces[place] as number;
    }
  }
}
