/**
 * The space in which vectors of a model are compared. Vectors of a model have a large part in common, and few of their
 * numbers are far larger than the others. Both would waste the few bits that are kept of each number. So a vector gets
 * length 1, loses the mean, and is rotated: then all its numbers are of the same size.
 *
 * The rotation is fixed for ever: stored vectors depend on it. It is made of random signs and Hadamard transforms
 * (Ailon and Chazelle 2009, "The Fast Johnson-Lindenstrauss Transform"), in two rounds, each with a random order.
 */
import { lengthOf } from '../passage-vectors.ts';

/** Of the random numbers. Another one is another space, and needs vectors made anew. */
const SEED = 0x6b6e6f77;
const ROUNDS = 2;

/** Dimensions as they are stored: full bytes of each bit. */
export const paddedDimensions = (dimensions: number): number => 8 * Math.ceil(dimensions / 8);

/** A sequence of random integers of 32 bits, the same everywhere (Marsaglia 2003, "Xorshift RNGs"). */
function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** A random order of `count` places (Fisher and Yates). */
function randomOrder(count: number, random: () => number): Uint16Array {
  const order = Uint16Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const other = random() % (i + 1);
    [order[i], order[other]] = [order[other] as number, order[i] as number]; // both are in range
  }
  return order;
}

/** The Hadamard transform of `size` numbers from `from`, a power of 2. It keeps their length. */
function transform(numbers: Float32Array, from: number, size: number): void {
  for (let half = 1; half < size; half *= 2)
    for (let start = from; start < from + size; start += 2 * half)
      for (let i = start; i < start + half; i++) {
        const a = numbers[i] as number; // both are in range
        const b = numbers[i + half] as number;
        numbers[i] = a + b;
        numbers[i + half] = a - b;
      }
  const scale = 1 / Math.sqrt(size);
  for (let i = from; i < from + size; i++) numbers[i] = (numbers[i] as number) * scale;
}

/** `signs`: before each transform of the round. `order`: of the numbers after them. */
type Round = { signs: readonly Int8Array[]; order: Uint16Array };

/** Returns the rotation of vectors with this many numbers, in n log n steps. It uses up its argument. */
function createRotation(dimensions: number): (numbers: Float32Array) => Float32Array {
  const random = createRandom(SEED);
  // Blocks at both ends cover all numbers, and overlap where these are no power of 2.
  const block = 2 ** (31 - Math.clz32(dimensions));
  const starts = [0, dimensions - block];
  const randomSigns = () => Int8Array.from({ length: dimensions }, () => (random() >>> 31 ? 1 : -1));
  const rounds: Round[] = Array.from({ length: ROUNDS }, () => ({
    signs: starts.map(randomSigns),
    order: randomOrder(dimensions, random),
  }));
  const turn = (numbers: Float32Array, { signs, order }: Round): Float32Array => {
    for (const [k, ofBlock] of signs.entries()) {
      // Without new signs, a second transform would undo a part of the first.
      for (let i = 0; i < dimensions; i++) numbers[i] = (numbers[i] as number) * (ofBlock[i] as number);
      transform(numbers, starts[k] as number, block);
    }
    const ordered = new Float32Array(dimensions);
    for (let i = 0; i < dimensions; i++) ordered[i] = numbers[order[i] as number] as number; // all are in range
    return ordered;
  };
  return (numbers) => rounds.reduce(turn, numbers);
}

/** A vector with length 1; undefined: all its numbers are 0. */
function ofLengthOne(vector: Float32Array): Float32Array | undefined {
  const length = lengthOf(vector);
  return length > 0 && Number.isFinite(length) ? vector.map((number) => number / length) : undefined;
}

/**
 * What vectors have in common, each taken with length 1. Of texts that differ in all else, it is what the model puts
 * into every vector.
 */
export function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors)
    for (const [i, number] of ofLengthOne(vector)?.entries() ?? [])
      mean[i] = (mean[i] as number) + number / vectors.length; // all are of one length
  return mean;
}

export type ModelSpace = {
  /** The length of a vector in this space: the model's, and up to seven numbers more. */
  dimensions: number;
  /** A vector of the model in this space, the same for queries and passages. undefined: it has no direction. */
  toSpace(vector: Float32Array): Float32Array | undefined;
};

/** The space of vectors with this mean, which has their number of dimensions. */
export function createModelSpace(mean: Float32Array): ModelSpace {
  const dimensions = paddedDimensions(mean.length);
  const rotate = createRotation(dimensions);
  return {
    dimensions,
    toSpace(vector) {
      const direction = ofLengthOne(vector);
      if (direction === undefined) return undefined;
      const numbers = new Float32Array(dimensions);
      // Both have the same length.
      for (let i = 0; i < mean.length; i++) numbers[i] = (direction[i] as number) - (mean[i] as number);
      return rotate(numbers);
    },
  };
}
