/** Vectors of passages: the sums of their words' vectors, of which only the signs are stored. */
import type { Language } from '../analysis/language.ts';

/** The numbers of a vector, and the bits of its signs. */
export const DIMENSIONS = 256;

/** Which vectors of words the passages' vectors are made of. Those of two generations are never compared. */
export const WORD_VECTORS_GENERATION = 1;

/** The vector of a word: `DIMENSIONS` numbers. */
export type WordVector = Int8Array;

/** Looks up the vector of a word, which is a lexeme of `language`; undefined where it has none. */
export type VectorOf = (language: Language, word: string) => WordVector | undefined;

/** No word has a vector. */
export const noVectors: VectorOf = () => undefined;

/**
 * The vectors of a passage's distinct words, with how often each occurs → the signs of their sum, one bit for each
 * number: 1 where it is greater than 0. The first bit is the highest of the first byte. No vectors → undefined.
 */
export function signsOf(
  words: readonly (readonly [vector: WordVector, count: number])[],
): Uint8Array | undefined {
  if (words.length === 0) return undefined;
  const sum = new Int32Array(DIMENSIONS);
  for (const [vector, count] of words)
    for (let i = 0; i < DIMENSIONS; i++) sum[i] = (sum[i] as number) + (vector[i] as number) * count; // of that length
  const signs = new Uint8Array(DIMENSIONS / 8);
  for (let i = 0; i < DIMENSIONS; i++)
    if ((sum[i] as number) > 0) signs[i >> 3] = (signs[i >> 3] as number) | (0x80 >> (i & 7)); // in range
  return signs;
}
