/**
 * The doctor says what is wrong with a model: that it does not know meanings, cuts texts, is slow, or is another one.
 */
import { expect, test } from 'vitest';
import {
  embeddingsAnswer,
  numbersOf,
  type Respond,
  startStub,
} from '../../meaning/model/testing/stub-server.ts';
import { checkEmbeddings, checkReranker } from './check-models.ts';

const embeddings = {
  model: 'a-model',
  apiKey: 'sk-very-secret-key',
  dimensions: undefined,
  queryPrefix: undefined,
  passagePrefix: undefined,
  batch: 32,
  perMinute: undefined,
  timeoutMs: 60_000,
};
const rerank = { model: undefined, apiKey: 'sk-very-secret-key', candidates: 30, timeoutMs: 60_000 };

const TOPICS: [RegExp, number][] = [
  [/vehicle|car park/, 0],
  [/soup/, 1],
];
/** As of a model that knows two topics: most of a vector is its topic, the rest depends on the words. */
function meant(text: string): number[] {
  const numbers = numbersOf(text, 16).map((number) => number / 4);
  for (const [pattern, place] of TOPICS) if (pattern.test(text)) numbers[place] = 2;
  return numbers;
}
const vectorsBy =
  (vectorOf: (text: string) => number[]): Respond =>
  ({ body }) => ({ json: embeddingsAnswer(body.input.map(vectorOf)) });

/** `warning: …` or the problem, of each. */
async function problemsOf(
  respond: Respond,
  change: Partial<typeof embeddings> | { dimensions: number } = {},
) {
  const { url } = await startStub(respond);
  const problems = await checkEmbeddings({ ...embeddings, url, ...change });
  for (const { problem, remedy } of problems) {
    expect(`${problem}${remedy}`).not.toContain('secret');
    expect(remedy).not.toBe('');
  }
  return problems.map(({ problem, isWarning }) => `${isWarning ? 'warning: ' : ''}${problem}`);
}

test('a model that knows what texts mean has no problem', async () => {
  expect(await problemsOf(vectorsBy(meant))).toEqual([]);
});

test('the near pair is not nearer', async () => {
  const problems = [expect.stringContaining('The vectors of a-model do not show what texts mean')];
  expect(await problemsOf(vectorsBy((text) => meant(text.replace('vehicle', 'soup'))))).toEqual(problems);
  // All vectors are alike.
  expect(await problemsOf(vectorsBy(() => numbersOf('', 16)))).toEqual([
    ...problems,
    expect.stringContaining('Texts are cut'),
  ]);
});

test('texts are cut, by the model or by refusals', async () => {
  expect(await problemsOf(vectorsBy((text) => meant(text.slice(0, 500))))).toEqual([
    'warning: Texts are cut: of a passage of 1000 letters the model does not read the end.',
  ]);
  const refusing: Respond = (request, response) =>
    request.body.input.some((text: string) => text.length > 500)
      ? { status: 413, json: { error: 'must have less than 128 tokens' } }
      : vectorsBy(meant)(request, response);
  expect(await problemsOf(refusing)).toEqual([
    expect.stringMatching(
      /^warning: Texts are cut: .* only the beginning will be sent.* less than 128 tokens/,
    ),
  ]);
});

test('dimensions differ: from those that were asked for, and from those that the model has by its name', async () => {
  expect(await problemsOf(vectorsBy(meant), { dimensions: 256 })).toEqual([
    expect.stringContaining('with 16 dimensions instead of 256'),
  ]);
  expect(await problemsOf(vectorsBy(meant), { model: 'BAAI/bge-small-en-v1.5' })).toEqual([
    'warning: Vectors of BAAI/bge-small-en-v1.5 have 384 dimensions, and those of the server 16.',
  ]);
});

test('a batch is too large, and an answer too late', async () => {
  const small: Respond = (request, response) =>
    request.body.input.length > 8
      ? { status: 422, json: { error: 'batch size 32 > maximum allowed batch size 8' } }
      : vectorsBy(meant)(request, response);
  expect(await problemsOf(small)).toEqual([
    expect.stringMatching(
      /^warning: The embeddings server refuses EMBEDDINGS_BATCH \(32\) texts at once\. .*batch size 8/,
    ),
  ]);
  const slow: Respond = async (request, response) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return await vectorsBy(meant)(request, response);
  };
  expect(await problemsOf(slow, { timeoutMs: 5 })).toEqual([
    expect.stringMatching(
      /^warning: The embeddings server needs \d+ ms for a query, and EMBEDDINGS_TIMEOUT_MS is 5/,
    ),
  ]);
});

test('a server that is unreachable, or refuses the key', async () => {
  const [away] = await checkEmbeddings({ ...embeddings, url: 'http://127.0.0.1:1' });
  expect(away?.problem).toContain('cannot be reached (ECONNREFUSED)');
  expect(away?.isWarning).toBeUndefined();
  expect(await problemsOf(() => ({ status: 401, json: {} }))).toEqual([
    expect.stringContaining('it refuses the key'),
  ]);
});

test('a reranker: one that knows what texts mean, one that does not, one that takes too few texts', async () => {
  const rank =
    (scoreOf: (text: string) => number, most = 100): Respond =>
    ({ body }) =>
      body.documents.length > most
        ? { status: 422, json: { error: 'too many' } }
        : {
            json: {
              results: body.documents.map((text: string, index: number) => ({
                index,
                relevance_score: scoreOf(text),
              })),
            },
          };
  const problemsAt = async (respond: Respond) => {
    const { url } = await startStub(respond);
    return (await checkReranker({ ...rerank, url: `${url}/v1` })).map(({ problem }) => problem);
  };
  expect(await problemsAt(rank((text) => Number(text.includes('car park'))))).toEqual([]);
  expect(await problemsAt(rank((text) => Number(text.includes('soup'))))).toEqual([
    expect.stringContaining('The reranker does not know what texts mean'),
  ]);
  expect(await problemsAt(rank((text) => Number(text.includes('car park')), 10))).toEqual([
    expect.stringContaining('too many'),
  ]);
});
