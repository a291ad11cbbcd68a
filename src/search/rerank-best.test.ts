/** A model orders the best passages: what stays as it was, and what the answer says without it. */
import { expect, test, vi } from 'vitest';
import type { FoundPassage } from './ranking/statement/found-passages.ts';
import { rerankBest } from './rerank-best.ts';

/** Passages with these scores, named by their places. */
const passages = (scores: number[]): FoundPassage[] =>
  scores.map((score, position) => ({ position, score }) as FoundPassage); // what the order reads of them

const placesOf = (found: FoundPassage[]) => found.map(({ position }) => position);
const scoresOf = (found: FoundPassage[]) => found.map(({ score }) => score);

test('the best are in the order of the model, and their scores in their places', async () => {
  const scores = [0.9, 0.5, 0.4, 0.2, 0.1];
  const ask = vi.fn(async () => ({ scores: [-3, 8, 0.5] }));
  const { found, warnings } = await rerankBest(passages(scores), { depth: 3, ask });
  expect(placesOf(found)).toEqual([1, 2, 0, 3, 4]);
  expect(scoresOf(found)).toEqual(scores);
  expect(found.map(({ reranked }) => reranked)).toEqual([
    { before: 0.5, place: 2, relevance: 8 },
    { before: 0.4, place: 3, relevance: 0.5 },
    { before: 0.9, place: 1, relevance: -3 },
    undefined,
    undefined,
  ]);
  expect(warnings).toEqual([]);
  expect(ask.mock.calls).toEqual([[passages(scores).slice(0, 3)]]);
});

test('passages that are equally relevant keep their order', async () => {
  const { found } = await rerankBest(passages([0.9, 0.5, 0.4]), {
    depth: 30,
    ask: async () => ({ scores: [1, 2, 1] }),
  });
  expect(placesOf(found)).toEqual([1, 0, 2]);
});

test('without an answer all stay, and a single passage needs none', async () => {
  const warning = { code: 'RERANK_TIMEOUT', message: 'Too late.' } as const;
  const ask = vi.fn(async () => ({ warning }));
  const given = passages([0.9, 0.5]);
  expect(await rerankBest(given, { depth: 30, ask })).toEqual({ found: given, warnings: [warning] });
  expect(await rerankBest(passages([0.9]), { depth: 30, ask })).toMatchObject({ warnings: [] });
  expect(ask).toHaveBeenCalledTimes(1);
});
