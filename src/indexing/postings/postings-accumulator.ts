/** Collects the lexemes of a document, and their positions in the current passage. */

import { type ByteWriter, createByteWriter } from '../../database/values/byte-writer.ts';
import { impactTierLexeme } from './impact-tiers.ts';
import { enlarge, type TokenIds } from './token-ids.ts';

/** As many as `to_tsvector` keeps; a tsvector may have 256 of a lexeme (PostgreSQL manual 8.11.1). */
const POSITIONS_PER_LEXEME_MAX = 255;

/**
 * The records of all lexemes are in one array: a lexeme's record begins at its token id times `FIELDS`. A large text
 * has 100,000 lexemes; as objects they would be slower to find and to collect.
 */
const FIELDS = 8;
/** Start and end of the lexeme's UTF-8 in the bytes of all lexemes, with the zero byte that ends it in a tsvector. */
const BYTES_START = 0;
const BYTES_END = 1;
/** The number of passages that have the lexeme, and the last of them, counted from 1. */
const PASSAGE_COUNT = 2;
const PASSAGE = 3;
/** Its positions in that passage, as a linked list: indices into `positions` and `nextPositions`. */
const FIRST_POSITION = 4;
const LAST_POSITION = 5;
const POSITION_COUNT = 6;
/**
 * The token id of the next tier's lexeme: of a lexeme, its first impact tier; of a tier, the tier after it. 0: none
 * yet; no tier has this token id.
 */
const NEXT_TIER = 7;

const INITIAL_LEXEMES = 1 << 10;
const INITIAL_POSITIONS = 1 << 11;

/** The functions of tsvector-encoding.ts and frequency-encoding.ts read these arrays. Only those below change them. */
export type PostingsAccumulator = {
  tokenIds: TokenIds;
  /** By lexeme, `FIELDS` numbers each. */
  records: Int32Array<ArrayBuffer>;
  /** The lexemes in UTF-8, each followed by a zero byte. */
  names: ByteWriter;
  /** The number of the current passage, from 1, and its lexemes in the order of addition. */
  passage: number;
  lexemes: number[];
  /** The passage's positions with their weights, and for each the index of the next position of the same lexeme. */
  positions: Int32Array<ArrayBuffer>;
  nextPositions: Int32Array<ArrayBuffer>;
  positionCount: number;
};

/** Creates an empty accumulator for a document with these token ids. */
export const createPostingsAccumulator = (tokenIds: TokenIds): PostingsAccumulator => ({
  tokenIds,
  records: new Int32Array(FIELDS * INITIAL_LEXEMES),
  names: createByteWriter(),
  passage: 0,
  lexemes: [],
  positions: new Int32Array(INITIAL_POSITIONS),
  nextPositions: new Int32Array(INITIAL_POSITIONS),
  positionCount: 0,
});

/** Begins the next passage and forgets the positions of the passage before. */
export function beginPassage(accumulator: PostingsAccumulator): void {
  accumulator.passage++;
  accumulator.lexemes = [];
  accumulator.positionCount = 0;
}

/** Adds a lexeme without a position to the passage. The passage must not have the lexeme yet. */
export const addLexeme = (accumulator: PostingsAccumulator, lexeme: number): void =>
  startLexeme(accumulator, lexeme, recordOf(accumulator, lexeme));

/** Adds a position, with its weight, to a lexeme of the passage. A lexeme's positions must not descend. */
export function addPosition(accumulator: PostingsAccumulator, lexeme: number, position: number): void {
  const record = recordOf(accumulator, lexeme);
  const { records, positionCount } = accumulator;
  if (records[record + PASSAGE] !== accumulator.passage) {
    startLexeme(accumulator, lexeme, record);
    records[record + FIRST_POSITION] = positionCount;
  } else {
    const last = records[record + LAST_POSITION] as number; // within the array
    const isFull = (records[record + POSITION_COUNT] as number) >= POSITIONS_PER_LEXEME_MAX; // likewise
    // All positions beyond POSITION_MAX are equal, and a tsvector must not repeat a position.
    if (isFull || accumulator.positions[last] === position) return;
    accumulator.nextPositions[last] = positionCount;
  }
  records[record + LAST_POSITION] = positionCount;
  records[record + POSITION_COUNT] = (records[record + POSITION_COUNT] as number) + 1; // within the array
  pushPosition(accumulator, position);
}

/**
 * The lexeme of the impact tier after `before`, which is the lexeme of a tier or, before the first, `lexeme` itself.
 */
export function nextTierOf(
  accumulator: PostingsAccumulator,
  before: number,
  { lexeme, tier }: { lexeme: number; tier: number },
): number {
  const { tokenIds } = accumulator;
  const record = recordOf(accumulator, before);
  const known = accumulator.records[record + NEXT_TIER] as number; // within the array
  if (known !== 0) return known;
  const tierLexeme = tokenIds.ofText(impactTierLexeme(tokenIds.textOf(lexeme), tier));
  accumulator.records[record + NEXT_TIER] = tierLexeme;
  return tierLexeme;
}

/** All added lexemes are below this bound. Other token ids below it are in no passage. */
export const lexemesEnd = ({ records }: PostingsAccumulator): number => records.length / FIELDS;

/** Start of a lexeme's bytes in `names`, and their end after the zero byte. */
export const nameStart = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + BYTES_START] as number; // below lexemesEnd
export const nameEnd = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + BYTES_END] as number; // below lexemesEnd

/** The number of passages with a lexeme. */
export const passageCountOf = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + PASSAGE_COUNT] as number; // below lexemesEnd

/** For a lexeme of the passage: the index of its first position, if it has one, and the number of its positions. */
export const firstPositionOf = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + FIRST_POSITION] as number; // below lexemesEnd
export const positionCountOf = ({ records }: PostingsAccumulator, lexeme: number): number =>
  records[lexeme * FIELDS + POSITION_COUNT] as number; // below lexemesEnd

/** The start of a lexeme's record in `records`. Replaces the array when it is too short. */
function recordOf(accumulator: PostingsAccumulator, lexeme: number): number {
  const record = lexeme * FIELDS;
  while (record >= accumulator.records.length) accumulator.records = enlarge(accumulator.records);
  return record;
}

/** Adds a lexeme to the passage, and writes its name if it is new to the document. */
function startLexeme(accumulator: PostingsAccumulator, lexeme: number, record: number): void {
  const { tokenIds, records, names } = accumulator;
  if (records[record + BYTES_END] === 0) {
    records[record + BYTES_START] = names.size();
    writeName(names, lexeme, tokenIds);
    records[record + BYTES_END] = names.size();
  }
  records[record + PASSAGE] = accumulator.passage;
  records[record + PASSAGE_COUNT] = (records[record + PASSAGE_COUNT] as number) + 1; // within the array
  records[record + POSITION_COUNT] = 0;
  accumulator.lexemes.push(lexeme);
}

function pushPosition(accumulator: PostingsAccumulator, position: number): void {
  if (accumulator.positionCount === accumulator.positions.length) {
    accumulator.positions = enlarge(accumulator.positions);
    accumulator.nextPositions = enlarge(accumulator.nextPositions);
  }
  accumulator.positions[accumulator.positionCount++] = position;
}

/** UTF-16 units of three bytes in UTF-8: from U+0800, without surrogates. */
const takesThreeBytes = (unit: number): boolean => unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff);

/** Writes a lexeme's UTF-8 and a zero byte. */
function writeName(names: ByteWriter, lexeme: number, tokenIds: TokenIds): void {
  const pair = tokenIds.pairOf(lexeme);
  const [first, second] = [pair >>> 16, pair & 0xffff];
  if (takesThreeBytes(second) && (first === 0 || takesThreeBytes(first))) {
    if (first !== 0) names.threeBytes(first);
    names.threeBytes(second);
  } else names.text(tokenIds.textOf(lexeme));
  names.byte(0);
}
