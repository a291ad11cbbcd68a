/** Which way the comparison says to take, and how sure it is. */
import { expect, test } from 'vitest';
import { type Answered, compareWays, toAnswer } from './compare-ways.ts';
import { intervalOfMean } from './interval.ts';
import { measureAnswer } from './measures.ts';
import { describeNotes, describeVerdict } from './verdict.ts';
import { askEachWay, type Way } from './ways.ts';

/** A question with one right document, which each way has at a place, from 1; 0: it has not. */
const question = (places: Partial<Record<Way, number>>): Answered => ({
  grades: new Map([['right', 1]]),
  answers: new Map(
    Object.entries(places).map(([way, place]) => {
      const documents = Array.from({ length: 12 }, (_, i) => (i === place - 1 ? 'right' : `wrong ${i}`));
      return [way as Way, { documents, milliseconds: place }]; // the keys of the parameter
    }),
  ),
});
const times = (count: number, places: Partial<Record<Way, number>>) =>
  Array.from({ length: count }, () => question(places));

function verdictOf(answered: Answered[]): string {
  const comparison = compareWays(answered);
  return comparison === undefined ? '' : describeVerdict(comparison);
}

test('the measures of an answer: graded, of the first ten documents', () => {
  const grades = new Map([
    ['a', 2],
    ['b', 1],
    ['c', 0],
  ]);
  const best = 2 + 1 / Math.log2(3);
  expect(measureAnswer(['a', 'b'], grades)).toEqual({ ndcg: 1, firstRight: 1 });
  expect(measureAnswer(['c', 'b', 'x', 'a'], grades)).toEqual({
    ndcg: (1 / Math.log2(3) + 2 / Math.log2(5)) / best,
    firstRight: 2,
  });
  const eleventh = [...Array.from({ length: 10 }, (_, i) => `x${i}`), 'a'];
  expect(measureAnswer(eleventh, grades)).toEqual({ ndcg: 0, firstRight: undefined });
});

test('the figures of each way, beside words', () => {
  const comparison = compareWays([
    ...times(6, { words: 1, both: 1 }),
    ...times(3, { words: 4, both: 1 }),
    ...times(1, { words: 1, both: 0 }),
  ]);
  expect(comparison?.rows).toMatchObject([
    { way: 'words', better: 0, worse: 0, medianMs: 1, foundWithin: [0.7, 0.7, 0.7, 1, 1, 1, 1, 1, 1, 1] },
    { way: 'both', better: 3, worse: 1, ndcg: 0.9, foundWithin: Array.from({ length: 10 }, () => 0.9) },
  ]);
});

test('a clear gain is taken, with its bounds', () => {
  const answered = [
    ...times(12, { words: 3, both: 1, meaning: 1 }),
    ...times(12, { words: 1, both: 1, meaning: 1 }),
  ];
  expect(verdictOf(answered)).toMatch(
    new RegExp(
      String.raw`^Take both \(the default.*\): nDCG@10 1\.000 instead of 0\.750 by words, 12 questions better, ` +
        String.raw`0 worse; the gain is \+0\.1\d\d to \+0\.3\d\d in 95 of 100 cases\.$`,
    ),
  );
});

test('a dearer way that may be better by chance is not taken, and how many questions may tell', () => {
  const answered = [
    ...times(6, { words: 3, both: 1 }),
    ...times(4, { words: 1, both: 3 }),
    ...times(14, { words: 1, both: 1 }),
  ];
  expect(verdictOf(answered)).toMatch(
    new RegExp(
      String.raw`^Take words .*: both has nDCG@10 0\.917 instead of 0\.875 by words \(6 questions better, 4 worse\), ` +
        String.raw`but 24 questions do not tell that from chance \(−0\.\d+ to \+0\.\d+ in 95 of 100 cases\); ` +
        String.raw`some \d+ questions may\.$`,
    ),
  );
});

test('where nothing is better than words, words are taken', () => {
  expect(verdictOf([...times(20, { words: 1, both: 1 }), question({ words: 1, both: 2 })])).toBe(
    'Take words ("mode": "words"): nothing else has a higher nDCG@10 than its 1.000.',
  );
});

test('of few questions it says how little they say, also where all got better', () => {
  expect(verdictOf(times(8, { words: 2, both: 1 }))).toMatch(
    /^8 questions say too little to take one: both leads by \+0\.369 .*Ask 20 or more\.$/,
  );
  expect(verdictOf([question({ words: 2, both: 3 })])).toMatch(/^One question says too little/);
});

test('ways that found the same are one row, and the reason is named', () => {
  const comparison = compareWays(times(20, { words: 2, meaning: 2, both: 2 }));
  if (comparison === undefined) throw new Error('nothing was compared');
  expect(comparison.rows).toHaveLength(1);
  expect(describeVerdict(comparison)).toMatch(/^Take words .* every other way found the same/);
  const reason =
    'the service has no vectors for these passages (WORD_VECTORS, EMBEDDINGS_URL), or that changes nothing here';
  expect(describeNotes(comparison)).toEqual([`meaning and both found the same as words: ${reason}.`]);
  expect(compareWays([])).toBeUndefined();
});

test('answers in which a part did not run are counted', () => {
  const late = question({ words: 1, both: 2 });
  const answers = new Map(late.answers).set('both', { documents: ['right'], warning: 'The model was late.' });
  const comparison = compareWays([...times(20, { words: 2, both: 1 }), { ...late, answers }]);
  expect(comparison && describeNotes(comparison)).toEqual([
    '1 of 21 answers by both are not what they could be. The model was late.',
  ]);
});

test('a warning about the question is none about a part that did not run', () => {
  const warnings = [
    { code: 'LANGUAGE_DIFFERS', message: 'The passages are in English.' },
    { code: 'MEANING_OFF', message: 'There is no meaning.' },
  ];
  const warningOf = (given: typeof warnings) =>
    toAnswer({ found: Object.assign([], { warnings: given }), milliseconds: 1 }).warning;
  expect(warningOf(warnings)).toBe('There is no meaning.');
  expect(warningOf(warnings.slice(0, 1))).toBeUndefined();
});

test('an answer in which a part did not run makes no way another one', () => {
  const [late] = times(1, { words: 1, both: 2, rerank: 3 });
  const rerank = late?.answers.get('rerank') ?? { documents: [] };
  const answers = new Map(late?.answers).set('rerank', { ...rerank, warning: 'Too late.' });
  const answered = [
    ...times(20, { words: 1, both: 2, rerank: 2 }),
    { grades: new Map([['right', 1]]), answers },
  ];
  const comparison = compareWays(answered);
  expect(comparison?.rows.map(({ way }) => way)).toEqual(['words', 'both']);
  expect(comparison?.same).toEqual([{ way: 'rerank', as: 'both' }]);
});

test('a reranker that is not worth it is left out', () => {
  const answered = [
    ...times(24, { words: 2, both: 1, rerank: 1 }),
    question({ words: 2, both: 1, rerank: 3 }),
  ];
  expect(verdictOf(answered)).toMatch(
    /^Take both \(the default, "rerank": false\): nDCG@10 1\.000 instead of/,
  );
});

test('the interval has the mean, narrows with more values, and is always the same', () => {
  const values = Array.from({ length: 400 }, (_, i) => (i % 7) / 7);
  const [few, many] = [intervalOfMean(values.slice(0, 21)), intervalOfMean(values)];
  expect(few.high - few.low).toBeGreaterThan(2 * (many.high - many.low));
  expect(many.low).toBeLessThan(0.428);
  expect(many.high).toBeGreaterThan(0.428);
  expect(intervalOfMean(values)).toEqual(many);
  expect(intervalOfMean([0.5, 0.5])).toEqual({ low: 0.5, high: 0.5 });
});

test('the ways are asked in turn, and only the first one has a time', async () => {
  const order: string[] = [];
  const ask = async (way: Way) => void order.push(way);
  const asked = await askEachWay(['words', 'meaning', 'both'], 1, ask);
  await askEachWay(['words', 'meaning', 'both'], 5, ask);
  expect(order).toEqual(['meaning', 'both', 'words', 'both', 'words', 'meaning']);
  expect([...asked].filter(([, { milliseconds }]) => milliseconds !== undefined).map(([way]) => way)).toEqual(
    ['meaning'],
  );
});
