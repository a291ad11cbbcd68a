/** A reranker is asked in the form that it understands; each wrong answer is found, and no query waits for it. */
import { expect, test } from 'vitest';
import {
  BatchRefused,
  type ModelFailure,
  ModelUnavailable,
  RateLimited,
  WrongAnswer,
} from './model-failures.ts';
import { createQueryReranker, createReranker, rerankAddresses } from './reranker.ts';
import { type Respond, type StubRequest, startStub } from './testing/stub-server.ts';

const KEY = 'sk-very-secret-key-0123456789';
const TEXTS = ['nothing', 'the hotel rule', 'hotels'];
/** As a model would: how often the text has the letters of the query. */
const scoreOf = (text: string) => text.split('hotel').length - 1.5;
const SCORES = TEXTS.map(scoreOf);

const rerankerAt = (url: string, model?: string) =>
  createReranker({ url, model, apiKey: KEY, candidates: 30, timeoutMs: 300 });
const rerank = (url: string, query = 'hotel') =>
  rerankerAt(url).rerank(query, TEXTS, new AbortController().signal);

const results = (texts: string[], name = 'relevance_score') =>
  texts.map((text, index) => ({ index, [name]: scoreOf(text) })).toReversed();

const NOT_FOUND = { status: 404, text: '' };
const SERVERS: Record<string, Respond> = {
  Cohere: ({ path, body }) =>
    path === '/v1/rerank' ? { json: { results: results(body.documents) } } : NOT_FOUND,
  Infinity: ({ path, body }) =>
    path === '/rerank' ? { json: { results: results(body.documents) } } : NOT_FOUND,
  Voyage: ({ body }) => ({ json: { data: results(body.documents) } }),
  TEI: ({ path, body }) => {
    if (path !== '/rerank') return NOT_FOUND;
    if (!body.texts)
      return { status: 422, text: 'Failed to deserialize the JSON body: missing field `texts`' };
    return { json: results(body.texts, 'score') };
  },
};

test.each([
  ['http://localhost:8080', ['http://localhost:8080/v1/rerank', 'http://localhost:8080/rerank']],
  ['https://api.jina.ai/v1/', ['https://api.jina.ai/v1/rerank']],
  ['https://example.org/v2/rerank', ['https://example.org/v2/rerank']],
])('%s is asked at %j', (url, addresses) => {
  expect(rerankAddresses(url).map(({ href }) => href)).toEqual(addresses);
});

test.each(Object.entries(SERVERS))('%s is understood, and the form is remembered', async (_, respond) => {
  const { url, requests } = await startStub(respond);
  const { rerank } = rerankerAt(url, 'a-model');
  const { signal } = new AbortController();
  expect(await rerank('hotel', TEXTS, signal)).toEqual(SCORES);
  const before = requests.length;
  expect(await rerank('hotel', TEXTS, signal)).toEqual(SCORES);
  expect(requests).toHaveLength(before + 1);
  expect(requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
});

test('an address of one endpoint is asked there only', async () => {
  const { url, requests } = await startStub(SERVERS.TEI ?? (() => NOT_FOUND));
  expect(await rerank(`${url}/rerank`)).toEqual(SCORES);
  expect(requests.map(({ path }) => path)).toEqual(['/rerank', '/rerank']);
  expect(requests[1]?.body).toEqual({ query: 'hotel', texts: TEXTS, truncate: true });
});

test('of a long query the beginning is sent', async () => {
  const { url, requests } = await startStub(SERVERS.Cohere ?? (() => NOT_FOUND));
  await rerank(url, 'long '.repeat(2_000));
  expect(requests[0]?.body.query).toHaveLength(1_000);
});

const all = (score: unknown) => TEXTS.map((_, index) => ({ index, relevance_score: score }));
test.each<[string, unknown]>([
  ['no results', {}],
  ['too few', { results: all(1).slice(1) }],
  ['an index twice', { results: [...all(1).slice(1), { index: 1, relevance_score: 1 }] }],
  ['an index beyond', { results: [...all(1).slice(1), { index: 3, relevance_score: 1 }] }],
  ['no numbers', { results: all(null) }],
  ['texts for numbers', { results: all('0.5') }],
  ['nothing', null],
])('an answer with %s is a wrong one', async (_, json) => {
  const { url } = await startStub(() => ({ json }));
  await expect(rerank(url)).rejects.toThrow(WrongAnswer);
});

test.each<[string, ReturnType<Respond>, new (...given: never[]) => ModelFailure, string]>([
  ['nothing there', NOT_FOUND, ModelUnavailable, 'status 404'],
  [
    'too many texts',
    { status: 413, json: { error: 'batch size 33 > 32' } },
    BatchRefused,
    'batch size 33 > 32',
  ],
  ['a limit', { status: 429, headers: { 'retry-after': '5' }, json: {} }, RateLimited, 'status 429'],
  ['a wrong key', { status: 401, json: { message: KEY } }, ModelUnavailable, 'it refuses the key'],
  ['HTML', { text: '<h1>It works!</h1>' }, ModelUnavailable, 'something else than JSON'],
])('%s: the reason is told, without the key', async (_, answer, kind, reason) => {
  const { url } = await startStub(() => answer);
  const failure = await rerank(url).catch((error) => error);
  expect(failure).toBeInstanceOf(kind);
  expect(failure.message).toContain(reason);
  expect(failure.message).not.toContain('secret');
});

test('a model that refuses the texts is not hidden by a path that is not there', async () => {
  const { url } = await startStub(({ path }: StubRequest) =>
    path === '/v1/rerank'
      ? { status: 400, json: { error: { message: 'no reranker is loaded' } } }
      : NOT_FOUND,
  );
  await expect(rerank(url)).rejects.toThrow('no reranker is loaded');
});

test('a query gets its scores within the time limit, or a reason', async () => {
  const quick = await startStub(SERVERS.Cohere ?? (() => NOT_FOUND));
  const patient = createQueryReranker(rerankerAt(quick.url), { timeoutMs: 60_000 });
  expect(await patient.rerank('hotel', TEXTS, 'account')).toEqual({ scores: SCORES });

  const hanging = await startStub(() => undefined);
  const hasty = createQueryReranker(rerankerAt(hanging.url), { timeoutMs: 20 });
  for (let i = 0; i < 10; i++)
    expect(await hasty.rerank('hotel', TEXTS, 'account')).toMatchObject({ degraded: 'timeout' });
  // The others did not wait for it.
  expect(hanging.requests.length).toBeLessThan(8);
});
