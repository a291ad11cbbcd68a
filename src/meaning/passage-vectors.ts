/** Vectors of passages and queries: the sums of their words' vectors. Of a passage's numbers three bits are stored. */
import type { Language } from '../analysis/language.ts';

/** The numbers of a word's vector, and of a sum of them. */
export const DIMENSIONS = 256;

/**
 * Which vectors of words the passages' vectors are made of. Vectors of two generations are never compared. The
 * greater numbers belong to models.
 */
export const WORD_VECTORS_GENERATION = 1;

/**
 * The vector of a word: `DIMENSIONS` numbers. It is longer, the rarer the word is in its language: so common words
 * count little in a sum.
 */
export type WordVector = Int8Array;

/**
 * The vectors of a language's words: `vectorOf` a word, which is a lexeme; undefined for a word without one. `mean`:
 * what the vectors of all texts have in common, each of length 1.
 */
export type LanguageVectors = {
  vectorOf(word: string): WordVector | undefined;
  mean: Float32Array;
  /** How much nearness in meaning counts beside words of this language, in [0, 1]. */
  trust: number;
};

/** Languages without spaces, whose words are not lexemes of the index (see unspaced-words.ts). */
export type UnspacedLanguage = 'chinese' | 'thai';

/** Undefined for a language without vectors. */
export type VectorsIn = (language: Language | UnspacedLanguage) => LanguageVectors | undefined;

/** No language has vectors. */
export const noVectors: VectorsIn = () => undefined;

/** A word's vector, and how often the word occurs. */
export type CountedVector = readonly [vector: WordVector, count: number];

/**
 * The vector of a text with these distinct words: of length 1, less the mean. Undefined without a word, or with words
 * that cancel each other out.
 */
export function textVector(words: readonly CountedVector[], mean: Float32Array): Float32Array | undefined {
  const sum = new Int32Array(DIMENSIONS);
  for (let k = 0; k < words.length; k += 4)
    addFour(
      sum,
      words[k] ?? NOTHING,
      words[k + 1] ?? NOTHING,
      words[k + 2] ?? NOTHING,
      words[k + 3] ?? NOTHING,
    );
  const length = lengthOf(sum);
  return length === 0
    ? undefined
    : Float32Array.from(sum, (number, i) => number / length - (mean[i] as number)); // of that length
}

const NOTHING: CountedVector = [new Int8Array(DIMENSIONS), 0];

/** Four at a time: one by one takes twice as long, 40 µs for a passage of 110 words. */
function addFour(
  sum: Int32Array,
  [first, timesFirst]: CountedVector,
  [second, timesSecond]: CountedVector,
  [third, timesThird]: CountedVector,
  [fourth, timesFourth]: CountedVector,
): void {
  const { imul } = Math; // of numbers in range
  for (let i = 0; i < DIMENSIONS; i++)
    sum[i] =
      ((sum[i] as number) +
        imul(first[i] as number, timesFirst) +
        imul(second[i] as number, timesSecond) +
        imul(third[i] as number, timesThird) +
        imul(fourth[i] as number, timesFourth)) |
      0;
}

export function lengthOf(numbers: Int8Array | Int32Array | Float32Array): number {
  let squares = 0;
  for (let i = 0; i < numbers.length; i++) squares += (numbers[i] as number) ** 2; // i is in range
  return Math.sqrt(squares);
}

/**
 * A query is compared with all passages if they are at most this many: to compare one takes a quarter of a microsecond.
 * In more of them, without an index of vectors, it is compared with those that have a word of it.
 */
export const COMPARED_MAX = 20_000;

/** The bits of each of a passage's numbers. With two, nDCG@10 on cacm is .004 lower, with one .01. */
export const BITS = 3;
const LEVELS = 2 ** BITS;
/** The best step between as many levels for numbers that are normally distributed (Max 1960, table II). */
export const STEP = 0.586;

/**
 * A text's vector as it is stored, of a number of numbers that 8 divides: the highest bits of all numbers, then the
 * next ones, and the lowest ones. A number is the middle of one of 8 ranges, STEP of the numbers' standard deviation
 * wide; those at both ends are open.
 */
export function packVector(numbers: Float32Array): Uint8Array {
  const bytes = numbers.length / 8;
  const packed = new Uint8Array(BITS * bytes);
  const step = (STEP * lengthOf(numbers)) / Math.sqrt(numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    const range = Math.floor((numbers[i] as number) / step) + LEVELS / 2; // i is in range
    const level = Math.min(LEVELS - 1, Math.max(0, range));
    for (let bit = 0; bit < BITS; bit++)
      if ((level >> (BITS - 1 - bit)) & 1) {
        const byte = bit * bytes + (i >> 3);
        packed[byte] = (packed[byte] as number) | (0x80 >> (i & 7)); // likewise
      }
  }
  return packed;
}

/** The vector of a passage with these words, as it is stored. */
export function packedVector(words: readonly CountedVector[], mean: Float32Array): Uint8Array | undefined {
  const numbers = textVector(words, mean);
  return numbers && packVector(numbers);
}
