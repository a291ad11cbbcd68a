/** Writes passages as PostgreSQL tsvectors, and counts in how many of a document's passages each lexeme occurs. */
import {
  type BinaryArray,
  type ByteWriter,
  createBinaryArray,
  createByteWriter,
  elementTypes,
} from '../storage/binary-array.ts';
import { LEXEMES_PER_CHANGE } from '../storage/tables.ts';
import { tierCount, tierMark } from './marks.ts';
import { enlarge, type TextNumbers } from './text-numbers.ts';
import type { TokenisedText } from './tokens.ts';

/** The tokens of a text, by the numbers that they have in their document. */
export type NumberedText = TokenisedText<number>;

/** The tokens of a passage and of what stands above it. */
export type PassageTokens = { title: NumberedText; headings: NumberedText; content: NumberedText };

/** PostgreSQL manual 8.11.1: positions run to 16383, and a lexeme keeps 256 of them. */
const POSITION_MAX = 16_383;
const POSITIONS_PER_LEXEME_MAX = 255;
/** A title or heading path of more tokens is cut, so that it cannot outweigh the passage. */
const CONTEXT_TOKENS_MAX = 200;
/**
 * A title counts as if the passage said it so often: that needs no formula of its own where passages are scored.
 * nDCG@10 is flat within .001 in the mean from 3 to 5; financebench-a, whose titles name company and year, gains most.
 */
const TITLE_REPEATS = 4;

/** The two highest bits of a position are its weight: A 3, B 2, D 0 (PostgreSQL source, ts_type.h). */
const WEIGHT_A = 3 << 14;
const WEIGHT_B = 2 << 14;
const WEIGHT_D = 0;

/**
 * What is known of a lexeme, at its number times `FIELDS` in one array: a large text has 100,000 of them, and as
 * objects they are slower to find and to collect.
 */
const FIELDS = 8;
/** Where its UTF-8 begins and ends among all lexemes' bytes, with the zero byte that ends it in a tsvector. */
const BYTES_START = 0;
const BYTES_END = 1;
/** In how many passages it occurs, and the last of them, counted from 1. */
const PASSAGE_COUNT = 2;
const PASSAGE = 3;
/** Its places there as indices into the passage's lists of places. */
const FIRST_PLACE = 4;
const LAST_PLACE = 5;
const PLACE_COUNT = 6;
/** The mark of its first tier, and of a mark that of the next one; 0 until one is needed, as it never has this number. */
const MARK = 7;

const INITIAL_LEXEMES = 1 << 10;
const INITIAL_PLACES = 1 << 11;

/** From a token to its lexeme, and to the one of its other spelling where it has two; for each language another. */
export type TokenLexemes = {
  lexeme(token: number): number;
  alternative(token: number): number | undefined;
};

/** The lexemes of one document, by their numbers. */
export function createDocumentLexemes(numbers: TextNumbers) {
  let records = new Int32Array(FIELDS * INITIAL_LEXEMES);
  const names = createByteWriter();
  let passage = 0;
  /** The passage's places with their weights, and for each the index of the same lexeme's next place. */
  let places = new Int32Array(INITIAL_PLACES);
  let nextPlaces = new Int32Array(INITIAL_PLACES);
  let placeCount = 0;

  const recordOf = (lexeme: number): number => {
    const record = lexeme * FIELDS;
    while (record >= records.length) records = enlarge(records);
    return record;
  };
  const field = (record: number, name: number): number => records[record + name] as number; // recordOf's

  const beginPassage = (found: number[], lexeme: number, record: number): void => {
    if (field(record, BYTES_END) === 0) {
      records[record + BYTES_START] = names.size();
      writeName(names, lexeme, numbers);
      records[record + BYTES_END] = names.size();
    }
    records[record + PASSAGE] = passage;
    records[record + PASSAGE_COUNT] = field(record, PASSAGE_COUNT) + 1;
    records[record + PLACE_COUNT] = 0;
    found.push(lexeme);
  };

  const addPlace = (found: number[], lexeme: number, place: number): void => {
    const record = recordOf(lexeme);
    if (field(record, PASSAGE) !== passage) {
      beginPassage(found, lexeme, record);
      records[record + FIRST_PLACE] = placeCount;
    } else {
      const last = field(record, LAST_PLACE);
      // Beyond the last position nothing is told apart, and a tsvector has each position once.
      if (field(record, PLACE_COUNT) >= POSITIONS_PER_LEXEME_MAX || places[last] === place) return;
      nextPlaces[last] = placeCount;
    }
    if (placeCount === places.length) {
      places = enlarge(places);
      nextPlaces = enlarge(nextPlaces);
    }
    records[record + LAST_PLACE] = placeCount;
    records[record + PLACE_COUNT] = field(record, PLACE_COUNT) + 1;
    places[placeCount++] = place;
  };

  const tsvectorSize = (lexemes: number[]): number => {
    let size = 4;
    for (const lexeme of lexemes) {
      const record = lexeme * FIELDS;
      const nameSize = field(record, BYTES_END) - field(record, BYTES_START);
      size += nameSize + 2 + 2 * field(record, PLACE_COUNT);
    }
    return size;
  };

  /** In the form that `tsvectorrecv` reads; it sorts the lexemes itself (PostgreSQL source, tsvector.c). */
  const writeTsvector = (buffer: Buffer, start: number, lexemes: number[]): void => {
    const bytes = names.written();
    let at = buffer.writeInt32BE(lexemes.length, start);
    const writeUint16 = (value: number): void => {
      buffer[at++] = value >> 8;
      buffer[at++] = value;
    };
    for (const lexeme of lexemes) {
      const record = lexeme * FIELDS;
      const end = field(record, BYTES_END);
      for (let i = field(record, BYTES_START); i < end; i++) buffer[at++] = bytes[i] as number; // as it was written
      const count = field(record, PLACE_COUNT);
      writeUint16(count);
      let place = field(record, FIRST_PLACE);
      for (let i = 0; i < count; i++) {
        writeUint16(places[place] as number); // every place is in the list
        place = nextPlaces[place] as number;
      }
    }
  };

  /** The mark of the first tier of a lexeme, or of the tier behind that of a mark. */
  const markOf = (before: number, lexeme: number, tier: number): number => {
    const record = recordOf(before);
    if (field(record, MARK) === 0) {
      const mark = numbers.ofText(tierMark(numbers.textOf(lexeme), tier));
      records[record + MARK] = mark;
    }
    return field(record, MARK);
  };

  /** Marks the lexemes that a passage, whose content has `length` tokens, is dense in. */
  const addMarks = (found: number[], length: number): void => {
    const count = found.length;
    for (let i = 0; i < count; i++) {
      const lexeme = found[i] as number; // i is in range
      const tiers = tierCount(field(lexeme * FIELDS, PLACE_COUNT), length);
      let before = lexeme;
      for (let tier = 0; tier < tiers; tier++) {
        before = markOf(before, lexeme, tier);
        beginPassage(found, before, recordOf(before));
      }
    }
  };

  /** The places of a text's tokens, and of its fragments beside them, behind `before` tokens. */
  const addText = (
    found: number[],
    { tokens, fragments, fragmentPlaces }: NumberedText,
    {
      lexemes,
      weight,
      before,
      kept,
    }: { lexemes: TokenLexemes; weight: number; before: number; kept: number },
  ): void => {
    const add = (token: number, position: number): void => {
      addPlace(found, lexemes.lexeme(token), position);
      const alternative = lexemes.alternative(token);
      if (alternative !== undefined) addPlace(found, alternative, position);
    };
    let next = 0;
    // In the order of their places, which PostgreSQL insists on: a fragment may be a token elsewhere.
    for (let at = 0; at < kept; at++) {
      const position = Math.min(before + at + 1, POSITION_MAX) | weight;
      add(tokens[at] as number, position); // at is in range
      for (; fragmentPlaces[next] === at; next++) add(fragments[next] as number, position); // one each
    }
  };

  return {
    /**
     * Adds a passage as a tsvector: title tokens first (weight A), then headings (B), then content (D), then marks.
     * Fragments take the positions of the tokens that they stand beside.
     */
    addPassage(
      column: BinaryArray,
      { title, headings, content }: PassageTokens,
      lexemes: TokenLexemes,
    ): void {
      passage++;
      placeCount = 0;
      const found: number[] = [];
      let before = 0;
      const add = (text: NumberedText, weight: number, tokensMax: number): void => {
        const kept = Math.min(text.tokens.length, tokensMax);
        addText(found, text, { lexemes, weight, before, kept });
        before += kept;
      };
      for (let i = 0; i < TITLE_REPEATS; i++) add(title, WEIGHT_A, CONTEXT_TOKENS_MAX);
      add(headings, WEIGHT_B, CONTEXT_TOKENS_MAX);
      add(content, WEIGHT_D, Number.POSITIVE_INFINITY);
      addMarks(found, content.tokens.length);
      column.add(tsvectorSize(found), (buffer, start) => writeTsvector(buffer, start, found));
    },
    /**
     * A binary array of jsonb: objects from lexeme to the number of passages that have it, each lexeme in one of them.
     */
    passageCounts(): Uint8Array {
      const pieces = createBinaryArray(elementTypes.jsonb);
      let piece = createCountsObject();
      const end = (): void => {
        const bytes = piece.end();
        pieces.add(bytes.length, (buffer, start) => bytes.copy(buffer, start));
      };
      for (let record = 0; record < records.length; record += FIELDS) {
        const count = field(record, PASSAGE_COUNT);
        if (count === 0) continue;
        if (piece.size() === LEXEMES_PER_CHANGE) {
          end();
          piece = createCountsObject();
        }
        const key = names.written().subarray(field(record, BYTES_START), field(record, BYTES_END) - 1);
        piece.add(key, count);
      }
      end();
      return pieces.toBuffer();
    },
  };
}

/** A JSON object in the form that `jsonb_recv` reads: the form's version, 1, and text in UTF-8 (PostgreSQL source, jsonb.c). */
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

/** Units of UTF-16 that take three bytes each in UTF-8: from U+0800, but for surrogates. */
const takesThreeBytes = (unit: number): boolean => unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff);

/** A lexeme's UTF-8 and a zero byte. */
function writeName(names: ByteWriter, lexeme: number, numbers: TextNumbers): void {
  const pair = numbers.pairOf(lexeme);
  const [first, second] = [pair >>> 16, pair & 0xffff];
  if (takesThreeBytes(second) && (first === 0 || takesThreeBytes(first))) {
    if (first !== 0) names.threeBytes(first);
    names.threeBytes(second);
  } else names.text(numbers.textOf(lexeme));
  names.byte(0);
}

const [OPENING, CLOSING, COMMA, QUOTE, BACKSLASH, FIRST_PLAIN] = [0x7b, 0x7d, 0x2c, 0x22, 0x5c, 0x20];

const isPlain = (byte: number): boolean => byte >= FIRST_PLAIN && byte !== QUOTE && byte !== BACKSLASH;

/** A lexeme, in UTF-8, as a JSON string. */
function writeKey(json: ByteWriter, name: Buffer): void {
  if (name.every(isPlain)) {
    json.byte(QUOTE);
    json.bytes(name, 0, name.length);
    json.byte(QUOTE);
  } else json.text(JSON.stringify(name.toString()));
}
