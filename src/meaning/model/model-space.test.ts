/** Vectors of a model in the space where they are compared: nearness is kept, and all numbers are of one size. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createModelSpace, meanOf, paddedDimensions } from './model-space.ts';
import { numbersOf } from './testing/stub-server.ts';

const vectorOf = (text: string, dimensions: number) => Float32Array.from(numbersOf(text, dimensions));
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, number, i) => sum + number * (b[i] ?? 0), 0);
const lengthOf = (vector: Float32Array) => Math.sqrt(dot(vector, vector));
const cosine = (a: Float32Array, b: Float32Array) => dot(a, b) / lengthOf(a) / lengthOf(b);
const without = (dimensions: number) => createModelSpace(new Float32Array(dimensions));

test.each([8, 10, 256, 384, 768, 1000, 1024, 1536, 3072])(
  'of %i numbers, the rotation keeps each cosine and the length',
  (dimensions) => {
    const space = without(dimensions);
    expect(space.dimensions).toBe(paddedDimensions(dimensions));
    const [a, b] = [vectorOf('a', dimensions), vectorOf('b', dimensions)];
    const [inA, inB] = [space.toSpace(a), space.toSpace(b)];
    if (inA === undefined || inB === undefined) throw new Error('a vector without direction');
    expect(inA).toHaveLength(paddedDimensions(dimensions));
    expect(cosine(inA, inB)).toBeCloseTo(cosine(a, b), 5);
    expect(lengthOf(inA)).toBeCloseTo(1, 5);
  },
);

test.each([384, 768, 1000, 1536])(
  'of %i numbers, one that is far larger is spread over all',
  (dimensions) => {
    const space = without(dimensions);
    for (const place of [0, 1, dimensions >> 1, dimensions - 1]) {
      const outlier = new Float32Array(dimensions);
      outlier[place] = 100;
      const spread = space.toSpace(outlier) ?? new Float32Array(1);
      const largest = Math.max(...spread.map(Math.abs));
      // Evenly spread it would be 1; of random directions the largest is about 3.5.
      expect(largest * Math.sqrt(dimensions)).toBeLessThan(6);
    }
  },
);

test('the mean is that of vectors of length 1, and is taken from each', () => {
  const vectors = ['a', 'b', 'c'].map((text) => vectorOf(text, 64).map((number) => number + 5));
  const mean = meanOf(vectors);
  const scaled = vectors.map((vector, i) => vector.map((number) => number * (i + 1)));
  expect(cosine(meanOf(scaled), mean)).toBeCloseTo(1, 6);
  const { toSpace } = createModelSpace(mean);
  const [a, b] = vectors.map((vector) => toSpace(vector) ?? new Float32Array());
  const [rawA, rawB] = vectors;
  expect(cosine(rawA ?? new Float32Array(), rawB ?? new Float32Array())).toBeGreaterThan(0.9);
  expect(cosine(a ?? new Float32Array(), b ?? new Float32Array())).toBeLessThan(0);
});

test('a vector of zeros has no direction', () => {
  expect(without(16).toSpace(new Float32Array(16))).toBeUndefined();
});

test('the rotation is the one by which stored vectors were made', () => {
  const spread = without(384).toSpace(vectorOf('a', 384)) ?? new Float32Array();
  const rounded = Int16Array.from(spread, (number) => Math.round(number * 10_000));
  expect(createHash('sha256').update(rounded).digest('hex').slice(0, 16)).toBe('f3240f91819130f8');
});
