/**
 * The tables of word vectors in generated/word-vectors: for each language, the words (as stems) and their vectors, in
 * one space for all languages. scripts/word-vectors makes them.
 *
 * A table is read as its words are needed: in memory are the hashes of its words and the rows used last.
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Language } from '../analysis/language.ts';
import { createBoundedCache } from '../concurrency/bounded-cache.ts';
import {
  DIMENSIONS,
  type UnspacedLanguage,
  type VectorsIn,
  WORD_VECTORS_GENERATION,
  type WordVector,
} from './passage-vectors.ts';

/** The languages whose words are stems, and those without spaces: the files' names. */
export const STEM_TABLES = ['english', 'german', 'russian', 'arabic', 'hindi'] as const satisfies Language[];
export const TABLES = [...STEM_TABLES, 'chinese', 'thai'] as const satisfies (Language | UnspacedLanguage)[];
export type Table = (typeof TABLES)[number];

/**
 * `trust` of a language. The English table is trained (see scripts/word-vectors); the vectors of the others come from
 * single words, so that within their language they only order what words leave equal. nDCG@10 on XQuAD by words, and at
 * .1, in two samples of 150 and 237 questions; at .02 it is that by words, .9799, in the second sample of Russian:
 *
 *   Russian   .9529 -> .9507   .9799 -> .9790
 *   Thai      .9623 -> .9618   .9735 -> .9747
 *   German    .9554 -> .9585   .9541 -> .9563
 *   Hindi     .9563 -> .9587   .9583 -> .9568
 */
const TRUST_OF_TRAINED = 1;
const TRUST_OF_MAPPED = 0.02;

/** In a checkout and in a package. */
const manifest = createRequire(import.meta.url).resolve('knowledge-retrieval/package.json');
const FOLDER = join(dirname(manifest), 'generated/word-vectors/');

/**
 * The layout of a file, all numbers little-endian:
 *
 *   4 bytes                 MAGIC
 *   2, 2                    the number of dimensions · the generation
 *   4                       the number of words
 *   4 for each dimension    the mean (float32; see `LanguageVectors`)
 *   4 for each word         the hashes of the words, ascending
 *   ROW_BYTES for each      the rows in this order: a scale (float32); then numbers of 4 bits from -8 to 7, plus 8, the
 *                           first of two in the upper half of a byte. Times the scale and rounded, they are the vector
 */
const MAGIC = 0x3156574b; // KWV1
const MEAN_AT = 12;
const HASHES_AT = MEAN_AT + 4 * DIMENSIONS;
const ROW_BYTES = 4 + DIMENSIONS / 2;

/** Rows in memory: 5 MB. A page of text has a few hundred words, and most of them were on the page before. */
const REMEMBERED_ROWS = 12_000;

/** 32 bits of a word's UTF-16 units (FNV-1a, Fowler, Noll and Vo). No two words of a table have the same. */
export function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

type OpenTable = { file: number; mean: Float32Array; hashes: Uint32Array };

/** @throws where the file is not a table of this generation */
function openTable(path: string): OpenTable {
  const file = openSync(path, 'r');
  const header = Buffer.alloc(MEAN_AT);
  readSync(file, header, 0, MEAN_AT, 0);
  const isTable = header.readUInt32LE(0) === MAGIC;
  if (
    !isTable ||
    header.readUInt16LE(4) !== DIMENSIONS ||
    header.readUInt16LE(6) !== WORD_VECTORS_GENERATION
  ) {
    closeSync(file);
    throw new Error(`${path} is not a table of word vectors of generation ${WORD_VECTORS_GENERATION}`);
  }
  const mean = new Float32Array(DIMENSIONS);
  readSync(file, new Uint8Array(mean.buffer), 0, mean.byteLength, MEAN_AT);
  const hashes = new Uint32Array(header.readUInt32LE(8));
  readSync(file, new Uint8Array(hashes.buffer), 0, hashes.byteLength, HASHES_AT);
  return { file, mean, hashes };
}

/** The index of a number in an ascending array; -1 where it is missing. */
function indexOf(sorted: Uint32Array, wanted: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = sorted[middle] as number; // within the array
    if (found === wanted) return middle;
    if (found < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function readRow({ file, hashes }: OpenTable, word: string): WordVector | undefined {
  const index = indexOf(hashes, hashOf(word));
  if (index < 0) return undefined;
  const row = Buffer.alloc(ROW_BYTES);
  readSync(file, row, 0, ROW_BYTES, HASHES_AT + 4 * hashes.length + ROW_BYTES * index);
  const scale = row.readFloatLE(0);
  const vector = new Int8Array(DIMENSIONS);
  for (let i = 0; i < DIMENSIONS; i += 2) {
    const both = row[4 + i / 2] as number; // within the row
    vector[i] = Math.round(((both >> 4) - 8) * scale);
    vector[i + 1] = Math.round(((both & 15) - 8) * scale);
  }
  return vector;
}

/**
 * Opens the tables in a folder. A language has the words of its own table and of the English one, for terms of a trade.
 */
export function openWordVectors(folder = FOLDER): VectorsIn {
  const rows = createBoundedCache<WordVector | 'none'>(REMEMBERED_ROWS);
  const opened = new Map<Table, OpenTable | undefined>();
  const open = (table: Table): OpenTable | undefined => {
    const path = `${folder}${table}.bin`;
    if (!opened.has(table)) opened.set(table, existsSync(path) ? openTable(path) : undefined);
    return opened.get(table);
  };
  const find = (name: Table, word: string): WordVector | undefined => {
    const key = `${name}:${word}`;
    const known = rows.get(key);
    if (known !== undefined) return known === 'none' ? undefined : known;
    const table = open(name);
    const found = table && readRow(table, word);
    rows.set(key, found ?? 'none');
    return found;
  };
  return (language) => {
    const tables = tablesOf(language);
    const mean = tables.map((table) => open(table)?.mean).find((each) => each !== undefined);
    if (mean === undefined) return undefined;
    return {
      mean,
      trust: tables[0] === 'english' ? TRUST_OF_TRAINED : TRUST_OF_MAPPED,
      vectorOf: (word) =>
        tables.reduce<WordVector | undefined>((found, table) => found ?? find(table, word), undefined),
    };
  };
}

const UNSPACED: readonly string[] = ['chinese', 'thai'] satisfies UnspacedLanguage[];

/** The tables with the words of a language, its own first. Words in other scripts are not in the English one. */
const tablesOf = (language: Language | UnspacedLanguage): Table[] =>
  TABLES.filter((table) => table === language || (table === 'english' && !UNSPACED.includes(language))).sort(
    (one) => (one === language ? -1 : 1),
  );
