/** Collects a document's lexemes by their numbers, and their positions in the current passage. */

import { impactTierLexeme } from '../../analysis/reserved-lexemes.ts';
import { type ByteWriter, createByteWriter } from '../../binary-array.ts';
import { enlarge, type TokenIds } from './token-ids.ts';

/** PostgreSQL manual 8.11.1: a lexeme keeps 256 positions. */
const POSITIONS_PER_LEXEME_MAX = 255;

/**
 * Fields of a lexeme's record in one array, which begins at the lexeme's number times `FIELDS`. A large text has
 * 100,000 lexemes, which as objects would be slower to find and to collect.
 */
const FIELDS = 8;
/** Start and end of the lexeme's UTF-8 in the bytes of all lexemes, with the zero byte that ends it in a tsvector. */
const BYTES_START = 0;
const BYTES_END = 1;
/** The number of passages that have the lexeme, and the last of them, counted from 1. */
const PASSAGE_COUNT = 2;
const PASSAGE = 3;
/** Its positions in that passage, as indices into the passage's lists of positions. */
const FIRST_PLACE = 4;
const LAST_PLACE = 5;
const PLACE_COUNT = 6;
/**
 * A lexeme's first impact tier lexeme, and a tier lexeme's next one. 0 until one is needed, as no tier has number 0.
 */
const MARK = 7;

const INITIAL_LEXEMES = 1 << 10;
const INITIAL_PLACES = 1 << 11;

/**
 * Plain arrays, which the functions that write the lexemes read directly. Only the functions below create and change
 * them.
 */
export type PostingsAccumulator = {
  numbers: TokenIds;
  /** By lexeme, `FIELDS` numbers each. */
  records: Int32Array<ArrayBuffer>;
  names: ByteWriter;
  /** The current passage, counted from 1, and its lexemes in the order of addition. */
  passage: number;
  found: number[];
  /** The passage's positions with their weights, and for each the index of the same lexeme's next position. */
  places: Int32Array<ArrayBuffer>;
  nextPlaces: Int32Array<ArrayBuffer>;
  placeCount: number;
};

/** Creates an accumulator without lexemes or passages; `numbers` are the document's token ids. */
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

/** Begins the next passage and forgets the positions of the one before. */
export function beginPassage(table: PostingsAccumulator): void {
  table.passage++;
  table.found = [];
  table.placeCount = 0;
}

/** Adds a lexeme without a position to the passage, which must not have the lexeme yet. */
export const addLexeme = (table: PostingsAccumulator, lexeme: number): void =>
  enterLexeme(table, lexeme, recordOf(table, lexeme));

/** Adds a position of a lexeme, with its weight. A lexeme's positions must not descend within a passage. */
export function addPlace(table: PostingsAccumulator, lexeme: number, place: number): void {
  const record = recordOf(table, lexeme);
  const { records, placeCount } = table;
  if (records[record + PASSAGE] !== table.passage) {
    enterLexeme(table, lexeme, record);
    records[record + FIRST_PLACE] = placeCount;
  } else {
    const last = records[record + LAST_PLACE] as number; // recordOf's
    const isFull = (records[record + PLACE_COUNT] as number) >= POSITIONS_PER_LEXEME_MAX; // likewise
    // Positions beyond the last one are equal, and a tsvector has each position once.
    if (isFull || table.places[last] === place) return;
    table.nextPlaces[last] = placeCount;
  }
  records[record + LAST_PLACE] = placeCount;
  records[record + PLACE_COUNT] = (records[record + PLACE_COUNT] as number) + 1; // recordOf's
  pushPlace(table, place);
}

/** The lexeme of a `tier` of a lexeme; `before` is that of the tier before it, or the lexeme itself. */
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

/** Upper bound (exclusive) of the numbers of all added lexemes. Other numbers below it are in no passage. */
export const lexemesEnd = ({ records }: PostingsAccumulator): number => records.length / FIELDS;

/** Start of a lexeme's bytes in `names`, and their end after the zero byte. */
export const nameStart = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + BYTES_START] as number; // below lexemesEnd
export const nameEnd = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + BYTES_END] as number; // below lexemesEnd

/** The number of passages with a lexeme. */
export const passageCountOf = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + PASSAGE_COUNT] as number; // below lexemesEnd

/** For a lexeme in `found`: the index of its first position, if it has one, and the number of its positions. */
export const firstPlaceOf = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + FIRST_PLACE] as number; // below lexemesEnd
export const placeCountOf = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + PLACE_COUNT] as number; // below lexemesEnd

/** The start of a lexeme's record in `records`. Replaces the array when it is too short. */
function recordOf(table: PostingsAccumulator, lexeme: number): number {
  const record = lexeme * FIELDS;
  while (record >= table.records.length) table.records = enlarge(table.records);
  return record;
}

/** Notes that the passage has a lexeme, and writes the lexeme's name if it is new. */
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

/** UTF-16 units of three bytes in UTF-8: from U+0800, without surrogates. */
const takesThreeBytes = (unit: number): boolean => unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff);

/** Writes a lexeme's UTF-8 and a zero byte. */
function writeName(names: ByteWriter, lexeme: number, numbers: TokenIds): void {
  const pair = numbers.pairOf(lexeme);
  const [first, second] = [pair >>> 16, pair & 0xffff];
  if (takesThreeBytes(second) && (first === 0 || takesThreeBytes(first))) {
    if (first !== 0) names.threeBytes(first);
    names.threeBytes(second);
  } else names.text(numbers.textOf(lexeme));
  names.byte(0);
}
