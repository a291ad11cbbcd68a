/** What an embeddings server is asked, and that each wrong answer of it is found, without the key in any sentence. */
import { expect, test } from 'vitest';
import type { EmbeddingsModel } from './embeddings-model.ts';
import { createEmbeddingsServer, embeddingsAddress } from './embeddings-server.ts';
import { BatchRefused, ModelFailure, ModelUnavailable, RateLimited, WrongAnswer } from './model-failures.ts';
import { embedAll, embeddingsAnswer, numbersOf, type Respond, startStub } from './testing/stub-server.ts';

const KEY = 'sk-very-secret-key-0123456789';
const TEXTS = ['the first text, which is nobody else’s business', 'the second text'];

const serverAt = (url: string, change: Partial<EmbeddingsModel> = {}) =>
  createEmbeddingsServer({
    url,
    model: 'a-model',
    apiKey: KEY,
    askedDimensions: undefined,
    dimensions: undefined,
    queryPrefix: 'q: ',
    passagePrefix: 'p: ',
    ...change,
  });

const embed = (url: string, change?: Partial<EmbeddingsModel>, signal = new AbortController().signal) =>
  serverAt(url, change).embed(TEXTS, { kind: 'passage', signal });

/** The failure of a server that answers so. Its sentence never has the key, or a text. */
async function failureAt(respond: Respond, change?: Partial<EmbeddingsModel>): Promise<ModelFailure> {
  const { url } = await startStub(respond);
  const failure = await embed(url, change).catch((error) => error);
  expect(failure).toBeInstanceOf(ModelFailure);
  expect(failure.message).toContain(url);
  expect(failure.message).not.toContain('secret');
  expect(failure.message).not.toContain('business');
  return failure;
}

test.each([
  ['http://localhost:11434', 'http://localhost:11434/v1/embeddings'],
  ['http://localhost:11434/', 'http://localhost:11434/v1/embeddings'],
  ['https://api.openai.com/v1', 'https://api.openai.com/v1/embeddings'],
  ['https://api.openai.com/v1/', 'https://api.openai.com/v1/embeddings'],
  ['http://localhost:7997/embeddings', 'http://localhost:7997/embeddings'],
  ['https://example.org/v1beta/openai', 'https://example.org/v1beta/openai/embeddings'],
])('%s is asked at %s', (url, address) => {
  expect(embeddingsAddress(url).href).toBe(address);
});

test('texts are sent with their prefix and the key, and their vectors come in order', async () => {
  const { url, requests } = await startStub((request) => {
    const { json } = embedAll(request) as { json: ReturnType<typeof embeddingsAnswer> };
    return { json: { ...json, data: json.data.toReversed() } };
  });
  const [first, second] = await embed(url);
  expect([first, second]).toEqual(TEXTS.map((text) => Float32Array.from(numbersOf(`p: ${text}`, 16))));
  expect(requests).toEqual([
    {
      path: '/v1/embeddings',
      headers: expect.objectContaining({ authorization: `Bearer ${KEY}` }),
      body: { model: 'a-model', input: TEXTS.map((text) => `p: ${text}`) },
    },
  ]);
  await serverAt(url, { apiKey: undefined, askedDimensions: 16 }).embed(['half of a pair: \ud83d'], {
    kind: 'query',
    signal: new AbortController().signal,
  });
  expect(requests[1]?.body).toEqual({
    model: 'a-model',
    input: ['q: half of a pair: \ufffd'],
    dimensions: 16,
  });
  expect(requests[1]?.headers).not.toHaveProperty('authorization');
});

test('vectors are read from base64 too, and in the order of the texts where they have no index', async () => {
  const numbers = TEXTS.map((text) => numbersOf(text, 16));
  const base64 = numbers.map((each) => Buffer.from(Float32Array.from(each).buffer).toString('base64'));
  const { url } = await startStub(() => ({ json: { data: base64.map((embedding) => ({ embedding })) } }));
  expect(await embed(url)).toEqual(numbers.map((each) => Float32Array.from(each)));
});

const vectors = (...all: unknown[]) => ({ json: embeddingsAnswer(all) });
const good = numbersOf('a', 16);

test.each<[string, ReturnType<Respond>, string]>([
  ['too few vectors', vectors(good), 'with 1 vectors for 2 texts'],
  ['too many vectors', vectors(good, good, good), 'with 3 vectors for 2 texts'],
  ['no vectors', { json: { object: 'list' } }, 'without vectors'],
  ['an array', { json: [[1, 2]] }, 'without vectors'],
  ['nothing', { json: null }, 'without vectors'],
  ['two lengths', vectors(good, good.slice(1)), 'with 15 dimensions instead of 16'],
  ['another length than stored', vectors(good.slice(8), good.slice(8)), 'with 8 dimensions instead of 16'],
  ['too few dimensions', vectors([1, 2], [1, 2]), 'with 2 dimensions'],
  [
    'null for NaN',
    vectors(
      good,
      good.map(() => null),
    ),
    'something else than numbers',
  ],
  ['texts for numbers', vectors(good, good.map(String)), 'something else than numbers'],
  [
    'numbers without end',
    vectors(
      good,
      good.map(() => 1e300),
    ),
    'with numbers that are none',
  ],
  ['base64 of half a number', vectors('AAAAAAA=', 'AAAAAAA='), 'something else than numbers'],
  [
    'base64 of NaN',
    vectors(good, Buffer.from(new Float32Array(16).fill(Number.NaN).buffer).toString('base64')),
    'none',
  ],
  [
    'an index twice',
    {
      json: {
        data: [
          { index: 0, embedding: good },
          { index: 0, embedding: good },
        ],
      },
    },
    'something else',
  ],
  [
    'an index beyond',
    {
      json: {
        data: [
          { index: 5, embedding: good },
          { index: 0, embedding: good },
        ],
      },
    },
    'something else',
  ],
])('an answer with %s is a wrong one', async (_, answer, reason) => {
  const dimensions = reason.includes('instead of 16') ? 16 : undefined;
  const failure = await failureAt(() => answer, { dimensions });
  expect(failure).toBeInstanceOf(WrongAnswer);
  expect(failure.message).toContain(reason);
});

test('an answer without end is not read', async () => {
  let written = 0;
  const failure = await failureAt(
    (_, response) => {
      const piece = Buffer.alloc(65_536, 'x');
      const write = () => {
        while (!response.destroyed && response.write(piece)) written += piece.length;
      };
      response.on('drain', write);
      write();
      return undefined;
    },
    { dimensions: 16 },
  );
  expect(failure).toBeInstanceOf(WrongAnswer);
  expect(failure.message).toContain('far more than what was asked for');
  // What the sockets of both sides hold is written too.
  expect(written).toBeLessThan(20_000_000);
});

test.each<[string, ReturnType<Respond>, string]>([
  [
    'HTML',
    { text: '<h1>It works!</h1>', headers: { 'content-type': 'text/html' } },
    'something else than JSON',
  ],
  ['half of its JSON', { text: '{"data": [{"embedding": [0.1, 0.2' }, 'something else than JSON'],
  ['an error with status 200', { json: { error: 'Unexpected endpoint' } }, 'answered: Unexpected endpoint'],
  [
    'an unknown model',
    { status: 404, json: { error: { message: 'model "x" not found' } } },
    '404: model "x" not found',
  ],
  ['a fault of its own', { status: 500, text: 'oops' }, 'with status 500'],
  ['a fault of what is behind it', { status: 502, text: '<h1>Bad gateway</h1>' }, 'with status 502'],
  [
    'a refusal of the key',
    { status: 401, json: { error: { message: 'wrong: sk-ver***6789' } } },
    'it refuses the key',
  ],
])('a server that answers with %s is not available', async (_, answer, reason) => {
  const failure = await failureAt(() => answer);
  expect(failure).toBeInstanceOf(ModelUnavailable);
  expect(failure.message).toContain(reason);
  expect(failure.message).not.toContain('sk-');
});

test('a server that breaks off, and one that is unreachable, are not available', async () => {
  const failure = await failureAt((_, response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('{"data": [', () => response.destroy());
    return undefined;
  });
  expect(failure).toBeInstanceOf(ModelUnavailable);
  await expect(embed('http://127.0.0.1:1')).rejects.toThrow('cannot be reached (ECONNREFUSED)');
});

test('a redirect is not followed: another server gets neither texts nor key', async () => {
  const other = await startStub((request) => embedAll(request));
  const failure = await failureAt(() => ({ status: 307, headers: { location: other.url }, json: {} }));
  expect(failure.message).toContain('redirects are not followed');
  expect(other.requests).toEqual([]);
});

test.each([
  [400, { error: { message: 'maximum context length is 512 tokens', type: 'BadRequestError' } }],
  [413, { error: '`inputs` must have less than 512 tokens. Given: 600', error_type: 'Validation' }],
  [422, { error: 'batch size 33 > maximum allowed batch size 32', error_type: 'Validation' }],
  [422, { detail: [{ loc: ['body'], msg: 'too many', input: TEXTS }] }],
  [500, { error: { code: 500, message: 'input (600 tokens) is too large to process' } }],
])('status %i refuses the batch: %j', async (status, json) => {
  expect(await failureAt(() => ({ status, json }))).toBeInstanceOf(BatchRefused);
});

test.each([
  [`echo of ${KEY}`],
  [`cannot embed "p: ${TEXTS[0]}"`],
  ['x'.repeat(3000)],
  ['two\nlines\u0000\u001b[31m of red'],
])('of what a server says nothing is repeated that must not be: %j', async (message) => {
  const failure = await failureAt(() => ({ status: 400, json: { error: { message } } }));
  expect(failure.message.length).toBeLessThan(300);
  expect(failure.message).toMatch(/^[^\p{C}]+$/u);
});

test.each([
  [429, { 'retry-after': '20' }, 20_000],
  [429, { 'retry-after-ms': '1500', 'retry-after': '2' }, 1_500],
  [429, { 'retry-after': '31536000' }, 3_600_000],
  [429, { 'retry-after': '-5' }, 0],
  [429, { date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000],
  [429, { 'retry-after': 'soon' }, undefined],
  [429, {}, undefined],
  [503, { 'retry-after': '1' }, 1_000],
])('status %i with %j asks for patience', async (status, headers, afterMs) => {
  const failure = await failureAt(() => ({ status, headers, json: { error: { message: 'slow down' } } }));
  expect(failure).toBeInstanceOf(RateLimited);
  expect(failure).toMatchObject({ afterMs });
});

test('a server that hangs or drips ends with the signal, and its connection is closed', async () => {
  const closed: string[] = [];
  const { url } = await startStub((request, response) => {
    response.on('close', () => closed.push(request.body.model));
    if (request.body.model === 'drips') {
      const drip = () => void (response.destroyed || response.write(' ', () => setTimeout(drip, 1)));
      drip();
    }
    return undefined;
  });
  for (const model of ['hangs', 'drips']) {
    const { signal, abort } = abortable();
    const answer = embed(url, { model }, signal);
    setTimeout(abort, 50);
    await expect(answer).rejects.toThrow('no longer');
  }
  await expect.poll(() => closed).toEqual(['hangs', 'drips']);
});

test.each([
  ['in capitals', KEY.toUpperCase()],
  ['in two parts', `${KEY.slice(0, 14)} ${KEY.slice(14)}`],
  ['encoded', encodeURIComponent(KEY).replaceAll('-', '%2D')],
  ['its beginning', `${KEY.slice(0, 12)}***`],
  ['its end', `…${KEY.slice(-9)}`],
])('a message with the key %s is not repeated', async (_, part) => {
  const { message } = await failureAt(() => ({ status: 404, json: { error: { message: `no ${part}` } } }));
  expect(message).toMatch(/answered with status 404$/);
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('no longer')) };
}

test('an answer may take a minute, or what is set: then others may be asked for', async () => {
  const { url } = await startStub(() => undefined);
  const model = { url, model: 'a-model', apiKey: KEY, askedDimensions: undefined, dimensions: undefined };
  const server = createEmbeddingsServer({ ...model, queryPrefix: '', passagePrefix: '' }, 20);
  const failure = await server
    .embed(TEXTS, { kind: 'passage', signal: new AbortController().signal })
    .catch((error) => error);
  expect(failure).toBeInstanceOf(ModelUnavailable);
  expect(failure).toMatchObject({ isAnswer: true, message: expect.stringContaining('within 0.02 s') });
});

test('a connection is used again, and replaced where the server has closed it meanwhile', async () => {
  const used = new Set<unknown>();
  let isClosing = false;
  const { url, requests } = await startStub((request, response) => {
    const { socket } = response;
    if (isClosing && used.has(socket)) {
      socket?.resetAndDestroy();
      return undefined;
    }
    used.add(socket);
    return embedAll(request);
  });
  const server = serverAt(url);
  const { signal } = new AbortController();
  const ask = () => server.embed(TEXTS, { kind: 'query', signal });
  for (let i = 0; i < 3; i++) await ask();
  expect(used.size).toBe(1);
  isClosing = true;
  await ask();
  expect([used.size, requests.length]).toEqual([2, 5]);
});
