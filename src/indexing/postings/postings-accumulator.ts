/** Keeps what is known of a document's lexemes, by their numbers, and where the passage at hand has them. */

import { impactTierLexeme } from '../../analysis/marks.ts';
import { type ByteWriter, createByteWriter } from '../../binary-array.ts';
import { enlarge, type TokenIds } from './token-ids.ts';

/** PostgreSQL manual 8.11.1: a lexeme keeps 256 positions. */
const POSITIONS_PER_LEXEME_MAX = 255;

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

/** Plain, so that what writes the lexemes reads the same arrays; made and changed only by the functions below. */
export type PostingsAccumulator = {
  numbers: TokenIds;
  /** By lexeme, `FIELDS` numbers each. */
  records: Int32Array<ArrayBuffer>;
  names: ByteWriter;
  /** The passage at hand, counted from 1, and its lexemes in the order in which they were added. */
  passage: number;
  found: number[];
  /** The passage's places with their weights, and for each the index of the same lexeme's next place. */
  places: Int32Array<ArrayBuffer>;
  nextPlaces: Int32Array<ArrayBuffer>;
  placeCount: number;
};

/** A table of no lexemes and no passage yet; `numbers` are the document's. */
export const createPostingsAccumulator = (numbers: TokenIds): PostingsAccumulator => ({
  numbers,
  records: new Int32Array(FIELDS * INITIAL_LEXEMES),
  names: createByteWriter(),
  passage: 0,
  found: [],
  places: new Int32Array(INITIAL_PLACES),
  nextPlaces: new Int32Array(INITIAL_PLACES),
  placeCount: 0,
});

/** Goes on to the next passage, and forgets where the one before had its lexemes. */
export function beginPassage(table: PostingsAccumulator): void {
  table.passage++;
  table.found = [];
  table.placeCount = 0;
}

/** Adds a lexeme to the passage without a place; it must not be there yet. */
export const addLexeme = (table: PostingsAccumulator, lexeme: number): void =>
  enterLexeme(table, lexeme, recordOf(table, lexeme));

/** Adds a place of a lexeme: a position with its weight. Positions of one lexeme must not fall within a passage. */
export function addPlace(table: PostingsAccumulator, lexeme: number, place: number): void {
  const record = recordOf(table, lexeme);
  const { records, placeCount } = table;
  if (records[record + PASSAGE] !== table.passage) {
    enterLexeme(table, lexeme, record);
    records[record + FIRST_PLACE] = placeCount;
  } else {
    const last = records[record + LAST_PLACE] as number; // recordOf's
    const isFull = (records[record + PLACE_COUNT] as number) >= POSITIONS_PER_LEXEME_MAX; // likewise
    // Beyond the last position nothing is told apart, and a tsvector has each position once.
    if (isFull || table.places[last] === place) return;
    table.nextPlaces[last] = placeCount;
  }
  records[record + LAST_PLACE] = placeCount;
  records[record + PLACE_COUNT] = (records[record + PLACE_COUNT] as number) + 1; // recordOf's
  pushPlace(table, place);
}

/** The mark of a lexeme's `tier`; `before` is that of the tier before it, or the lexeme itself. */
export function markOf(
  table: PostingsAccumulator,
  before: number,
  { lexeme, tier }: { lexeme: number; tier: number },
): number {
  const { numbers } = table;
  const record = recordOf(table, before);
  const known = table.records[record + MARK] as number; // recordOf's
  if (known !== 0) return known;
  const mark = numbers.ofText(impactTierLexeme(numbers.textOf(lexeme), tier));
  table.records[record + MARK] = mark;
  return mark;
}

/** Above the numbers of all lexemes that have been added. Others below it are in no passage. */
export const lexemesEnd = ({ records }: PostingsAccumulator): number => records.length / FIELDS;

/** Where a lexeme's bytes begin in `names`, and where they end with the zero byte behind them. */
export const nameStart = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + BYTES_START] as number; // below lexemesEnd
export const nameEnd = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + BYTES_END] as number; // below lexemesEnd

/** In how many passages a lexeme is. */
export const passageCountOf = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + PASSAGE_COUNT] as number; // below lexemesEnd

/** Of a lexeme in `found`: the index of its first place, if it has one, and the number of its places. */
export const firstPlaceOf = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + FIRST_PLACE] as number; // below lexemesEnd
export const placeCountOf = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + PLACE_COUNT] as number; // below lexemesEnd

/** Where a lexeme's record begins in `records`, which may be another array now. */
function recordOf(table: PostingsAccumulator, lexeme: number): number {
  const record = lexeme * FIELDS;
  while (record >= table.records.length) table.records = enlarge(table.records);
  return record;
}

/** Notes that the passage has a lexeme, and its name where no passage had it before. */
function enterLexeme(table: PostingsAccumulator, lexeme: number, record: number): void {
  const { numbers, records, names } = table;
  if (records[record + BYTES_END] === 0) {
    records[record + BYTES_START] = names.size();
    writeName(names, lexeme, numbers);
    records[record + BYTES_END] = names.size();
  }
  records[record + PASSAGE] = table.passage;
  records[record + PASSAGE_COUNT] = (records[record + PASSAGE_COUNT] as number) + 1; // recordOf's
  records[record + PLACE_COUNT] = 0;
  table.found.push(lexeme);
}

function pushPlace(table: PostingsAccumulator, place: number): void {
  if (table.placeCount === table.places.length) {
    table.places = enlarge(table.places);
    table.nextPlaces = enlarge(table.nextPlaces);
  }
  table.places[table.placeCount++] = place;
}

/** Units of UTF-16 that take three bytes each in UTF-8: from U+0800, but for surrogates. */
const takesThreeBytes = (unit: number): boolean => unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff);

/** A lexeme's UTF-8 and a zero byte. */
function writeName(names: ByteWriter, lexeme: number, numbers: TokenIds): void {
  const pair = numbers.pairOf(lexeme);
  const [first, second] = [pair >>> 16, pair & 0xffff];
  if (takesThreeBytes(second) && (first === 0 || takesThreeBytes(first))) {
    if (first !== 0) names.threeBytes(first);
    names.threeBytes(second);
  } else names.text(numbers.textOf(lexeme));
  names.byte(0);
}
