/** Vectors of words without a meaning, for tests and measurements. A word has the same vector in all processes. */
import { DIMENSIONS, type VectorsIn, type WordVector } from '../passage-vectors.ts';

/** A random generator's multiplier and increment (Numerical Recipes, 7.1). */
const [MULTIPLIER, INCREMENT] = [1_664_525, 1_013_904_223];

/** As many as a language's common words. Some words share a vector. */
const VECTORS = 1 << 12;

function makeUpVector(seed: number): WordVector {
  let state = seed;
  return Int8Array.from({ length: DIMENSIONS }, () => {
    state = (Math.imul(state, MULTIPLIER) + INCREMENT) | 0;
    return state >> 24;
  });
}

const known: WordVector[] = Array.from({ length: VECTORS }, (_, i) => makeUpVector(i));

const mean = new Float32Array(DIMENSIONS);

function vectorOf(word: string): WordVector | undefined {
  if (word < 'a') return undefined;
  let hash = 0;
  for (let i = 0; i < word.length; i++) hash = (Math.imul(hash, 31) + word.charCodeAt(i)) | 0;
  return known[hash & (VECTORS - 1)];
}

/** The vector of each word that begins with a letter, in all languages. */
export const madeUpVectors: VectorsIn = () => ({ vectorOf, mean, trust: 1 });
