/** The words before a query and a passage, by the names that servers have for a model. */
import { expect, test } from 'vitest';
import { modelOf, storedModel } from './embeddings-model.ts';
import { findKnownModel } from './known-models.ts';

const SENTENCE = 'Represent this sentence for searching relevant passages: ';

test.each([
  ['intfloat/multilingual-e5-small', 'query: ', 'passage: ', 384],
  ['multilingual-e5-large', 'query: ', 'passage: ', 1024],
  ['text-embedding-multilingual-e5-base', 'query: ', 'passage: ', 768],
  ['BAAI/bge-small-en-v1.5', SENTENCE, '', 384],
  ['bge-large:335m', SENTENCE, '', 1024],
  ['CompendiumLabs/bge-base-en-v1.5-gguf', SENTENCE, '', 768],
  ['bge-m3:latest', '', '', 1024],
  ['nomic-embed-text', 'search_query: ', 'search_document: ', 768],
  ['text-embedding-nomic-embed-text-v1.5', 'search_query: ', 'search_document: ', 768],
  ['mxbai-embed-large', SENTENCE, '', 1024],
  ['Snowflake/snowflake-arctic-embed-l-v2.0', 'query: ', '', undefined],
  ['snowflake-arctic-embed2', 'query: ', '', undefined],
  ['snowflake-arctic-embed', SENTENCE, '', undefined],
  ['embeddinggemma:300m', 'task: search result | query: ', 'title: none | text: ', 768],
  ['google/embeddinggemma-300m', 'task: search result | query: ', 'title: none | text: ', 768],
  ['text-embedding-3-small', '', '', 1536],
  ['sentence-transformers/all-MiniLM-L6-v2', '', '', 384],
])('%s', (model, query, passage, dimensions) => {
  expect(findKnownModel(model)).toEqual({ query, passage, ...(dimensions && { dimensions }) });
});

test.each(['Qwen/Qwen3-Embedding-0.6B', 'qwen3-embedding:8b', 'intfloat/multilingual-e5-large-instruct'])(
  '%s gets its task before a query only',
  (model) => {
    expect(findKnownModel(model)).toMatchObject({ query: expect.stringMatching(/^Instruct: /), passage: '' });
  },
);

test('Qwen3 has no space after its task', () => {
  expect(findKnownModel('qwen3-embedding:0.6b')?.query).toMatch(/\nQuery:$/);
});

test.each(['tencent/KaLM-Embedding-Gemma3-12B-2511', 'my-model', 'e5', 'big-e5ish', ''])(
  '"%s" is not known',
  (model) => {
    expect(findKnownModel(model)).toBeUndefined();
  },
);

const settings = {
  url: 'http://models.internal:8080/v1',
  model: 'multilingual-e5-small',
  apiKey: 'secret',
  dimensions: undefined,
  queryPrefix: undefined,
  passagePrefix: undefined,
  batch: 32,
  perMinute: undefined,
  timeoutMs: 300,
};

test('prefixes of the settings win over those that are known', () => {
  expect(modelOf(settings)).toMatchObject({ queryPrefix: 'query: ', passagePrefix: 'passage: ' });
  expect(modelOf({ ...settings, queryPrefix: '', passagePrefix: 'p ' })).toMatchObject({
    queryPrefix: '',
    passagePrefix: 'p ',
  });
});

const stored = { ...settings, dimensions: 384, queryPrefix: 'q ', passagePrefix: 'p ' };

test('stored vectors are compared by the model that made them; another server does not get the key', () => {
  const model = storedModel({ ...stored, url: 'http://models.internal:8080/other' }, settings);
  expect(model).toMatchObject({ queryPrefix: 'q ', passagePrefix: 'p ', dimensions: 384, apiKey: 'secret' });
  const urls = [
    'https://models.internal:8080/v1',
    'http://models.internal/v1',
    'http://old.internal:8080/v1',
  ];
  for (const url of urls) expect(storedModel({ ...stored, url }, settings).apiKey).toBeUndefined();
});

test('dimensions are asked for where the model would make others', () => {
  const asked = (change: object, now = {}) =>
    storedModel({ ...stored, ...change }, { ...settings, ...now }).askedDimensions;
  expect(asked({})).toBeUndefined();
  expect(asked({ model: 'text-embedding-3-small', dimensions: 512 })).toBe(512);
  expect(asked({ model: 'new', dimensions: 512 }, { model: 'new', dimensions: 256 })).toBe(512);
  expect(asked({ model: 'old', dimensions: 512 }, { model: 'new', dimensions: 256 })).toBeUndefined();
});
