/** Encodes document frequencies, counted in one document's passages, as jsonb in PostgreSQL's binary format. */

import { LEXEMES_PER_DELTA } from '../../database/schema/tables.ts';
import { type ByteWriter, createByteWriter, release } from '../../database/values/byte-writer.ts';
import {
  createBinaryArray,
  elementTypes,
  JSONB_VERSION,
} from '../../database/values/postgres-binary-insides.ts';
import {
  lexemesEnd,
  nameEnd,
  nameStart,
  type PostingsAccumulator,
  passageCountOf,
} from './postings-accumulator.ts';

/**
 * Objects in one statement. PostgreSQL keeps all that it has parsed until the statement ends: about 400 bytes for each
 * lexeme. Its process never returns memory: after 200,000 lexemes in one statement it kept 80 MB.
 */
const OBJECTS_PER_STATEMENT = 4;

/**
 * Returns binary arrays of jsonb, one for each statement. Their objects map lexemes to document frequencies. Each
 * lexeme is in one object. Without lexemes there is one array with one empty object.
 */
export function encodeDocumentFrequencies(accumulator: PostingsAccumulator): Uint8Array[] {
  const arrays: Uint8Array[] = [];
  let objects = createBinaryArray(elementTypes.jsonb);
  let object = createObjectWriter();
  const end = (): void => {
    const bytes = object.end();
    objects.add(bytes.length, (buffer, start) => bytes.copy(buffer, start));
    release(bytes);
    if (objects.count() === OBJECTS_PER_STATEMENT) endArray();
    object = createObjectWriter();
  };
  const endArray = (): void => {
    arrays.push(objects.toBuffer());
    objects = createBinaryArray(elementTypes.jsonb);
  };
  const names = accumulator.names.written();
  const lexemes = lexemesEnd(accumulator);
  for (let lexeme = 0; lexeme < lexemes; lexeme++) {
    const count = passageCountOf(accumulator, lexeme);
    if (count === 0) continue;
    if (object.size() === LEXEMES_PER_DELTA) end();
    object.add(names.subarray(nameStart(accumulator, lexeme), nameEnd(accumulator, lexeme) - 1), count);
  }
  end();
  if (objects.count() > 0) endArray();
  return arrays;
}

/** Writes an object as jsonb. */
function createObjectWriter() {
  const json = createByteWriter();
  json.byte(JSONB_VERSION);
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
