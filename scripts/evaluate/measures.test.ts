/** The measures agree with cases computed by hand. */
import { expect, test } from 'vitest';
import { areaUnderCurve, leastScoreKeeping, shareBelow } from './answerability.ts';
import { measureDocuments, measurePassages } from './measures.ts';

test('nDCG@10, recall and MRR@10 of a case computed by hand', () => {
  const qrels = new Map([
    [
      'q1',
      new Map([
        ['a', 2],
        ['b', 1],
        ['c', 0],
      ]),
    ],
    ['q2', new Map([['d', 1]])],
  ]);
  // q1: c (0), a (2), x (unjudged), b (1); q2 has no results.
  const run = new Map([
    [
      'q1',
      new Map([
        ['c', 4],
        ['a', 3],
        ['x', 2],
        ['b', 1],
      ]),
    ],
  ]);
  const ndcg = (2 / Math.log2(3) + 1 / Math.log2(5)) / (2 / Math.log2(2) + 1 / Math.log2(3));
  const measures = measureDocuments(qrels, run);
  expect(measures.ndcg10).toBeCloseTo(ndcg / 2, 12);
  expect(measures).toMatchObject({ recall10: 0.5, recall50: 0.5, mrr10: 0.25 });
});

test('equal scores rank by document id descending, and documents after the tenth do not count', () => {
  const qrels = new Map([['q', new Map([['a', 1]])]]);
  const ties = new Map(['a', 'b', 'c', 'd'].map((id) => [id, 1]));
  expect(measureDocuments(qrels, new Map([['q', ties]])).mrr10).toBe(0.25);
  const many = new Map([...'abcdefghijk'].map((id) => [id, 1]));
  expect(measureDocuments(qrels, new Map([['q', many]]))).toMatchObject({ mrr10: 0, ndcg10: 0, recall50: 1 });
});

test('excerpts: recall, precision and IoU count characters, and overlaps of returned passages twice', () => {
  const wanted = new Map([
    [
      'q',
      [
        { document: 'd', start: 10, end: 20 },
        { document: 'e', start: 0, end: 10 },
      ],
    ],
  ]);
  const answers = new Map([
    [
      'q',
      [
        { document: 'd', start: 0, end: 15 },
        { document: 'd', start: 10, end: 15 },
      ],
    ],
  ]);
  const { recall, precision, iou, characters } = measurePassages(wanted, answers);
  expect([recall, precision, iou, characters]).toEqual([5 / 20, 5 / 20, 5 / (20 + 20 - 5), 20]);
});

test('answerability of scores, by hand', () => {
  expect(areaUnderCurve([0.9, 0.5], [0.5, 0.1])).toBe((1 + 1 + 0.5 + 1) / 4);
  const answered = Array.from({ length: 20 }, (_, i) => (i + 1) / 20);
  const least = leastScoreKeeping(answered, 0.95);
  expect(least).toBe(0.1);
  expect(answered.filter((score) => score >= least)).toHaveLength(19);
  expect(shareBelow([0.05, 0.1, 0.2, 0.01], least)).toBe(0.5);
});
