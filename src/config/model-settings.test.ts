/** The settings of models: what is missing or excludes another is named, and no value is repeated. */
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const EMBEDDINGS_URL = 'http://127.0.0.1:11434/v1';
const model = { EMBEDDINGS_URL, EMBEDDINGS_MODEL: 'nomic-embed-text' };

test('by default no model is asked', () => {
  expect(readConfig({})).toMatchObject({ embeddings: undefined, rerank: undefined });
});

test('an address and a model are enough', () => {
  expect(readConfig(model).embeddings).toEqual({
    url: EMBEDDINGS_URL,
    model: 'nomic-embed-text',
    apiKey: undefined,
    dimensions: undefined,
    queryPrefix: undefined,
    passagePrefix: undefined,
    batch: 32,
    perMinute: undefined,
    timeoutMs: 300,
  });
  expect(readConfig({ RERANK_URL: 'https://rerank.example.org/' }).rerank).toEqual({
    url: 'https://rerank.example.org/',
    model: undefined,
    apiKey: undefined,
    candidates: 30,
    timeoutMs: 300,
  });
});

test('a prefix keeps its white space; `none` is an empty one', () => {
  const { embeddings } = readConfig({
    ...model,
    EMBEDDINGS_QUERY_PREFIX: 'query: ',
    EMBEDDINGS_PASSAGE_PREFIX: 'none',
  });
  expect([embeddings?.queryPrefix, embeddings?.passagePrefix]).toEqual(['query: ', '']);
  expect(() => readConfig({ ...model, EMBEDDINGS_MODEL: 'a ' })).toThrow('EMBEDDINGS_MODEL: must not begin');
});

test('EMBEDDINGS_URL needs a model, and takes the place of word vectors', () => {
  expect(() => readConfig({ EMBEDDINGS_URL })).toThrow('EMBEDDINGS_URL: needs EMBEDDINGS_MODEL beside it');
  expect(() => readConfig({ ...model, WORD_VECTORS: 'on' })).toThrow(
    'EMBEDDINGS_URL: excludes WORD_VECTORS=on',
  );
  expect(readConfig({ ...model, WORD_VECTORS: 'off' }).hasWordVectors).toBe(false);
});

test('settings of a server without its address have no effect, so they stop the start', () => {
  expect(() => readConfig({ EMBEDDINGS_BATCH: '8', RERANK_TIMEOUT_MS: '100' })).toThrow(
    /EMBEDDINGS_BATCH: needs EMBEDDINGS_URL beside it\n.*RERANK_TIMEOUT_MS: needs RERANK_URL beside it/,
  );
});

test.each([
  ['EMBEDDINGS_URL', 'localhost:11434', 'must be an http(s) address'],
  ['EMBEDDINGS_URL', 'https://user:hunter2@example.org', 'no more than an origin and a path'],
  ['EMBEDDINGS_URL', 'https://example.org/v1?key=hunter2', 'no more than an origin and a path'],
  ['EMBEDDINGS_API_KEY', 'hunter2 hunter2', 'must have visible ASCII characters only'],
  ['EMBEDDINGS_API_KEY', 'hunter2\nx: y', 'must have visible ASCII characters only'],
  ['EMBEDDINGS_API_KEY', 'hünter2', 'must have visible ASCII characters only'],
  ['EMBEDDINGS_DIMENSIONS', '7', 'must be a whole number from 8 to 8192'],
  ['EMBEDDINGS_BATCH', '0', 'must be a whole number from 1 to 2048'],
  ['EMBEDDINGS_PER_MINUTE', '0', 'must be a whole number from 1 to'],
  ['EMBEDDINGS_TIMEOUT_MS', '300 ms', 'must be a whole number from 1 to 60000'],
  ['RERANK_CANDIDATES', '101', 'must be a whole number from 1 to 100'],
])('%s=%s stops the start', (name, value, problem) => {
  const start = () => readConfig({ ...model, RERANK_URL: EMBEDDINGS_URL, [name]: value });
  expect(start).toThrow(`${name}: ${problem.startsWith('no more') ? `must have ${problem}` : problem}`);
  expect(start).not.toThrow('hunter2');
});
