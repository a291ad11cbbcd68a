/** Writes the number of a document's passages with each lexeme as jsonb. */
import {
  type ByteWriter,
  createBinaryArray,
  createByteWriter,
  elementTypes,
  release,
} from '../../binary-array.ts';
import { LEXEMES_PER_DELTA } from '../../database/tables.ts';
import {
  lexemesEnd,
  nameEnd,
  nameStart,
  type PostingsAccumulator,
  passageCountOf,
} from './postings-accumulator.ts';

/**
 * Objects in one statement. PostgreSQL keeps everything that it has parsed until the statement ends, some 400 bytes for
 * a lexeme, and a backend never returns memory: 200,000 lexemes in one statement left it with 80 MB.
 */
const CHANGES_PER_STATEMENT = 4;

/**
 * Binary arrays of jsonb, one for each statement. Their objects map lexemes to numbers of passages; each lexeme is in
 * one object. Without lexemes there is one array with one empty object.
 */
export function writePassageCounts(table: PostingsAccumulator): Uint8Array[] {
  const arrays: Uint8Array[] = [];
  let pieces = createBinaryArray(elementTypes.jsonb);
  let piece = createCountsObject();
  const end = (): void => {
    const bytes = piece.end();
    pieces.add(bytes.length, (buffer, start) => bytes.copy(buffer, start));
    release(bytes);
    if (pieces.count() === CHANGES_PER_STATEMENT) endArray();
    piece = createCountsObject();
  };
  const endArray = (): void => {
    arrays.push(pieces.toBuffer());
    pieces = createBinaryArray(elementTypes.jsonb);
  };
  const names = table.names.written();
  const lexemes = lexemesEnd(table);
  for (let lexeme = 0; lexeme < lexemes; lexeme++) {
    const count = passageCountOf(table, lexeme);
    if (count === 0) continue;
    if (piece.size() === LEXEMES_PER_DELTA) end();
    piece.add(names.subarray(nameStart(table, lexeme), nameEnd(table, lexeme) - 1), count);
  }
  end();
  if (pieces.count() > 0) endArray();
  return arrays;
}

/** A JSON object in the format of `jsonb_recv`: its version, 1, and text in UTF-8 (PostgreSQL source, jsonb.c). */
function createCountsObject() {
  const json = createByteWriter();
  json.byte(1);
  let size = 0;
  return {
    add(key: Buffer, count: number): void {
      json.byte(size++ === 0 ? OPENING : COMMA);
      writeKey(json, key);
      json.text(`:${count}`);
    },
    size: (): number => size,
    end(): Buffer {
      if (size === 0) json.byte(OPENING);
      json.byte(CLOSING);
      return json.written();
    },
  };
}

const [OPENING, CLOSING, COMMA, QUOTE, BACKSLASH, FIRST_PLAIN] = [0x7b, 0x7d, 0x2c, 0x22, 0x5c, 0x20];

const isPlain = (byte: number): boolean => byte >= FIRST_PLAIN && byte !== QUOTE && byte !== BACKSLASH;

/** Writes a lexeme, in UTF-8, as a JSON string. */
function writeKey(json: ByteWriter, name: Buffer): void {
  if (name.every(isPlain)) {
    json.byte(QUOTE);
    json.bytes(name, 0, name.length);
    json.byte(QUOTE);
  } else json.text(JSON.stringify(name.toString()));
}
