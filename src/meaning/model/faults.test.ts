/**
 * Whatever a server does, over HTTP: a query gets a reason in time, no passage is lost, and no sentence has the key.
 */
import type http from 'node:http';
import { expect, test } from 'vitest';
import { createEmbeddingsServer } from './embeddings-server.ts';
import { createPassageEmbeddings } from './passage-embeddings.ts';
import { createQueryEmbeddings } from './query-embeddings.ts';
import { embedAll, embeddingsAnswer, numbersOf, type Respond, startStub } from './testing/stub-server.ts';

const KEY = 'sk-very-secret-key-0123456789';
const DIMENSIONS = 16;
const TEXTS = Array.from({ length: 40 }, (_, i) => `text ${i}`);

/** Writes a byte of a valid beginning again and again. */
function drip(response: http.ServerResponse): undefined {
  if (response.destroyed) return undefined;
  response.write(' ', () => setTimeout(() => drip(response), 2));
  return undefined;
}

const all = (request: { body: { input: string[] } }, vectorOf: (text: string) => unknown) => ({
  json: embeddingsAnswer(request.body.input.map(vectorOf)),
});

const FAULTS: [string, string, Respond][] = [
  ['hangs', 'timeout', () => undefined],
  ['drips', 'timeout', (_, response) => drip(response)],
  [
    'has a limit',
    'limited',
    () => ({ status: 429, headers: { 'retry-after': '3600' }, json: { error: KEY } }),
  ],
  ['has a limit without end', 'limited', () => ({ status: 429, json: { error: { message: 'quota' } } })],
  ['refuses the key', 'unavailable', () => ({ status: 401, json: { error: { message: `wrong: ${KEY}` } } })],
  ['fails', 'unavailable', () => ({ status: 500, text: 'Internal Server Error' })],
  ['is behind a gateway', 'unavailable', () => ({ status: 502, text: '<h1>Bad gateway</h1>' })],
  ['is another program', 'unavailable', () => ({ text: '<h1>It works!</h1>' })],
  ['answers by half', 'unavailable', () => ({ text: '{"data": [{"embedding": [0.1, 0.2' })],
  [
    'breaks off',
    'unavailable',
    (_, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('{"data":', () => response.destroy());
      return undefined;
    },
  ],
  ['closes the connection', 'unavailable', (_, response) => void response.socket?.destroy()],
  [
    'leads elsewhere',
    'unavailable',
    () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' }, text: '' }),
  ],
  ['has another length', 'wrong', (request) => all(request, (text) => numbersOf(text, 8))],
  ['has no numbers', 'wrong', (request) => all(request, () => new Array(DIMENSIONS).fill(null))],
  ['has too few vectors', 'wrong', () => ({ json: { data: [] } })],
  ['answers too much', 'wrong', (request) => all(request, (text) => numbersOf(text, 6_000))],
  ['refuses all', 'wrong', () => ({ status: 400, json: { error: { message: 'unknown field' } } })],
];

const serverAt = (url: string) =>
  createEmbeddingsServer({
    url,
    model: 'a-model',
    apiKey: KEY,
    askedDimensions: undefined,
    dimensions: DIMENSIONS,
    queryPrefix: '',
    passagePrefix: '',
  });

test.each(FAULTS)('a server that %s: a query is told why (%s)', async (_, degraded, respond) => {
  const { url } = await startStub(respond);
  // A fault that shows is told at once; the others need the limit.
  const timeoutMs = degraded === 'timeout' ? 50 : 60_000;
  const queries = createQueryEmbeddings(serverAt(url), { timeoutMs });
  const answer = await queries.embed('hotel', { accountId: 'account' });
  expect(answer).toMatchObject({ degraded, message: expect.stringMatching(/./) });
  expect(JSON.stringify(answer)).not.toContain('secret');
});

/** A hanging request would be waited for a minute. */
const ENDING = FAULTS.filter(([, degraded]) => degraded !== 'timeout');

test.each(ENDING)(
  'a server that %s for a while: each passage gets its vector afterwards',
  async (_, __, respond) => {
    let requests = 0;
    const stub = await startStub((request, response) =>
      ++requests <= 12 ? respond(request, response) : embedAll(request, DIMENSIONS),
    );
    const sentences: string[] = [];
    const passages = createPassageEmbeddings(serverAt(stub.url), {
      batch: 32,
      perMinute: undefined,
      onWait: ({ message }) => void sentences.push(message),
      clock: { nowMs: () => 0, wait: async () => {} },
    });
    const made: unknown[] = [];
    for await (const { vector } of passages.embedAll(TEXTS, new AbortController().signal)) made.push(vector);
    expect(made).toEqual(TEXTS.map((text) => Float32Array.from(numbersOf(text, DIMENSIONS))));
    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences.join()).not.toContain('secret');
  },
);
