/** The client against a server that answers as it is told: retries, time-outs, errors, uploads, waiting. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type CreateOptions,
  createKnowledgeRetrieval,
  KnowledgeRetrievalError,
  type KnowledgeRetrievalSettings,
} from './index.ts';

type Respond = (response: ServerResponse) => void;
type Request = { method: string; path: string; headers: IncomingMessage['headers']; body: string };

/** What the server does next, in order; the last stays. */
let script: Respond[];
let requests: Request[];
let server: Server;
let address: string;

beforeEach(async () => {
  script = [];
  requests = [];
  server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, path: url, headers, body: await text(request) });
    (script.length > 1 ? script.shift() : script[0])?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on TCP
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const answer =
  (status: number, body: object | string, headers: Record<string, string> = {}): Respond =>
  (response) => {
    response.writeHead(status, { 'x-request-id': 'request-1', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const succeed = (data: object) => answer(200, { success: true, data });
const refuse = (status: number, errorCode: string, headers = {}, data = {}) =>
  answer(status, { success: false, message: `It is ${errorCode}.`, errorCode, data }, headers);
const unavailable = refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' });
const limited = refuse(429, 'RATE_LIMITED', { 'retry-after': '0' });
const breakOff: Respond = (response) => response.destroy();

const connect = (settings: Partial<KnowledgeRetrievalSettings> = {}) =>
  createKnowledgeRetrieval({ baseUrl: `${address}/`, apiKey: 'key', ...settings });

async function errorOf(call: Promise<unknown>): Promise<KnowledgeRetrievalError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof KnowledgeRetrievalError) return error;
  throw new Error('no KnowledgeRetrievalError', { cause: error });
}

const content = { knowledgeBaseId: 'k', title: 't', content: 'c' };

describe('retries', () => {
  test('a question is sent again after 429, 503 and a broken connection, body and key included', async () => {
    for (const refusal of [limited, unavailable, breakOff]) {
      requests = [];
      script = [refusal, refusal, succeed([])];
      expect(await connect().query({ query: 'why' })).toEqual([]);
      expect(requests.map(({ path, body, headers }) => [path, body, headers['x-api-key']])).toEqual(
        Array(3).fill(['/v1/query', '{"query":"why"}', 'key']),
      );
    }
  });

  const keysSent = () => requests.map(({ headers }) => headers['idempotency-key']);

  test.each<[string, (client: ReturnType<typeof connect>, call: CreateOptions) => Promise<unknown>]>([
    ['createKnowledgeBase', (client, call) => client.createKnowledgeBase({ name: 'n' }, call)],
    ['importTextContent', (client, call) => client.importTextContent(content, call)],
    [
      'presignUploadUrl',
      (client, call) => client.presignUploadUrl({ knowledgeBaseId: 'k', fileName: 'f', size: 1 }, call),
    ],
  ])(
    '%s carries one key for all tries, another one for each call, or the caller’s',
    async (_name, create) => {
      const client = connect();
      const keys = new Set();
      for (const refusal of [limited, unavailable, breakOff]) {
        requests = [];
        script = [refusal, refusal, succeed({ id: 'd' })];
        expect(await create(client, {})).toEqual({ id: 'd' });
        const [key] = keysSent();
        expect(key).toMatch(/^[\da-f]{32}$/);
        expect(keysSent()).toEqual([key, key, key]);
        keys.add(key);
      }
      expect(keys.size).toBe(3);
      requests = [];
      script = [unavailable, succeed({ id: 'd' })];
      await create(client, { idempotencyKey: 'mine' });
      expect(keysSent()).toEqual(['mine', 'mine']);
    },
  );

  test('no other request carries a key', async () => {
    script = [succeed({ id: 'd', status: 'processed' })];
    await connect().query({ query: 'why' });
    await connect().importFile({ fileId: 'f' });
    await connect().deleteDocument('d');
    await connect().getUsage();
    expect(keysSent()).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('what is gone after a lost answer is deleted; what never was there is not', async () => {
    for (const [errorCode, remove] of [
      ['DOCUMENT_NOT_FOUND', () => connect().deleteDocument('d')],
      ['KNOWLEDGE_BASE_NOT_FOUND', () => connect().deleteKnowledgeBase('d')],
    ] as const) {
      const gone = refuse(404, errorCode);
      script = [breakOff, gone];
      expect(await remove()).toEqual({ id: 'd' });
      for (const refusals of [[gone], [limited, gone]]) {
        script = refusals;
        expect(await errorOf(remove())).toMatchObject({ errorCode });
      }
    }
  });

  test('one call can go without, or with more', async () => {
    script = [breakOff];
    await errorOf(connect().importTextContent(content, { retries: 0 }));
    expect(requests).toHaveLength(1);
    script = [unavailable, unavailable, unavailable, succeed({ balance: 1 })];
    expect(await connect().getBalance({ retries: 3 })).toEqual({ balance: 1 });
  });

  test('Retry-After is waited for', async () => {
    script = [refuse(429, 'RATE_LIMITED', { 'retry-after': '1' }), succeed({ balance: 1 })];
    const start = performance.now();
    await connect().getBalance();
    expect(performance.now() - start).toBeGreaterThanOrEqual(990);
  });

  test('a longer Retry-After than a minute is left to the caller', async () => {
    script = [refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '61' })];
    expect(await errorOf(connect().getBalance())).toMatchObject({
      errorCode: 'SERVICE_UNAVAILABLE',
      status: 503,
      retryAfterSeconds: 61,
    });
    expect(requests).toHaveLength(1);
  });

  test.each([0, 1, 2])('at most %i times, if it is told so', async (retries) => {
    script = [unavailable];
    await errorOf(connect({ retries }).getUsage());
    expect(requests).toHaveLength(retries + 1);
  });
});

describe('errors', () => {
  test('carry code, message, data, status and request id of the answer', async () => {
    const data = { limit: 10, used: 9, requested: 2 };
    script = [refuse(403, 'STORAGE_LIMIT_EXCEEDED', {}, data)];
    const error = await errorOf(connect().importTextContent(content));
    if (error.errorCode !== 'STORAGE_LIMIT_EXCEEDED') throw error;
    expect(error.data.limit - error.data.used).toBe(1);
    expect(error).toMatchObject({
      message: 'It is STORAGE_LIMIT_EXCEEDED.',
      status: 403,
      requestId: 'request-1',
      data,
    });
  });

  test('NETWORK_ERROR: nobody listens', async () => {
    const error = await errorOf(connect({ baseUrl: 'http://127.0.0.1:9', retries: 0 }).getUsage());
    expect(error).toMatchObject({ errorCode: 'NETWORK_ERROR', status: undefined });
  });

  test.each<[string, Respond]>([
    ['no answer', () => {}],
    ['half an answer', (response) => response.writeHead(200).write('{')],
  ])('REQUEST_TIMED_OUT: %s, and no second try', async (_name, respond) => {
    script = [respond];
    const error = await errorOf(connect({ timeoutMs: 100 }).getUsage());
    expect(error).toMatchObject({ errorCode: 'REQUEST_TIMED_OUT', data: { timeoutMs: 100 } });
    expect(requests).toHaveLength(1);
  });

  test.each([
    [502, '<h1>Bad gateway</h1>'],
    [200, '<h1>Sign in</h1>'],
    [404, '{}'],
  ])('UNEXPECTED_ANSWER: %i %s', async (status, body) => {
    script = [answer(status, body)];
    const error = await errorOf(connect().getUsage());
    expect(error).toMatchObject({ errorCode: 'UNEXPECTED_ANSWER', status, data: { text: body } });
  });

  test('an aborted call throws the reason of the signal, in a request as in a pause', async () => {
    for (const respond of [() => {}, refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '60' })]) {
      script = [respond];
      const stopping = new AbortController();
      setTimeout(() => stopping.abort('enough'), 100);
      await expect(connect().getUsage({ signal: stopping.signal })).rejects.toBe('enough');
    }
  });
});

describe('uploads', () => {
  const ticket = (uploadUrl: string) =>
    succeed({ fileId: 'f', uploadUrl, method: 'PUT', headers: { 'x-store': 'yes' } });

  test('ticket, raw bytes without the key but with the headers of the ticket, import', async () => {
    script = [ticket(`${address}/uploads/f`), answer(200, ''), succeed({ id: 'd', status: 'pending' })];
    const file = new Blob(['héllo']);
    const document = await connect().uploadFile({ knowledgeBaseId: 'k', file, fileName: 'a.txt' });
    expect(document).toEqual({ id: 'd', status: 'pending' });
    const [asked, sent, imported] = requests;
    expect(asked).toMatchObject({ body: '{"knowledgeBaseId":"k","fileName":"a.txt","size":6}' });
    expect(sent).toMatchObject({ method: 'PUT', path: '/uploads/f', body: 'héllo' });
    expect(sent?.headers).toMatchObject({ 'content-length': '6', 'x-store': 'yes' });
    expect(sent?.headers).not.toHaveProperty('x-api-key');
    expect(imported).toMatchObject({ path: '/v1/importFile', body: '{"fileId":"f"}' });
  });

  test('the bytes are sent again after a broken connection', async () => {
    script = [ticket(`${address}/uploads/f`), breakOff, answer(200, ''), succeed({ id: 'd' })];
    await connect().uploadFile({ knowledgeBaseId: 'k', file: new File(['abc'], 'a.txt') });
    expect(requests.slice(1, 3).map(({ body }) => body)).toEqual(['abc', 'abc']);
  });

  test('a path gives name and bytes; a Blob without a name is refused before anything is sent', async () => {
    script = [ticket(`${address}/uploads/f`), answer(200, ''), succeed({ id: 'd' })];
    await connect().uploadFile({ knowledgeBaseId: 'k', file: import.meta.filename });
    expect(requests[0]?.body).toContain('"fileName":"client.test.ts"');
    expect(requests[1]?.body).toContain('a path gives name and bytes');
    const nameless = { knowledgeBaseId: 'k', file: new Blob(['a']) } as never; // what the types forbid
    await expect(connect().uploadFile(nameless)).rejects.toThrow('A Blob needs a fileName.');
    await expect(connect().uploadFile({ knowledgeBaseId: 'k', file: '/nothing' })).rejects.toThrow('ENOENT');
    expect(requests).toHaveLength(3);
  });

  test('a refused upload is thrown, and not imported', async () => {
    script = [ticket(`${address}/uploads/f`), refuse(409, 'FILE_ALREADY_IMPORTED')];
    const call = connect().uploadFile({ knowledgeBaseId: 'k', file: new File(['abc'], 'a.txt') });
    expect(await errorOf(call)).toMatchObject({ errorCode: 'FILE_ALREADY_IMPORTED', status: 409 });
    expect(requests).toHaveLength(2);
  });
});

describe('waiting for an import', () => {
  const report = (status: string, more = {}) => succeed({ id: 'd', status, ...more });

  test('asks until the document is processed, each time as long as the server may wait, and not in a rush', async () => {
    script = [report('pending'), report('processing'), report('processed', { passageCount: 3 })];
    const start = performance.now();
    const done = await connect().pollDocumentStatus('d', { deadlineMs: 20_500 });
    expect(done).toEqual({ id: 'd', status: 'processed', passageCount: 3 });
    expect(requests.map(({ path }) => path)).toEqual([
      '/v1/getDocumentStatus?documentId=d&waitSeconds=20',
      '/v1/getDocumentStatus?documentId=d&waitSeconds=19',
      '/v1/getDocumentStatus?documentId=d&waitSeconds=18',
    ]);
    expect(performance.now() - start).toBeGreaterThanOrEqual(1990);
  });

  test('gives the document with what has come of it', async () => {
    script = [succeed({ id: 'd', title: 'a', status: 'pending' }), report('processed', { passageCount: 3 })];
    const document = await connect().importFileAndPoll({ fileId: 'f' });
    expect(document).toEqual({ id: 'd', title: 'a', status: 'processed', passageCount: 3 });
    expect(requests[1]?.path).toContain('waitSeconds=30');
  });

  test('DOCUMENT_FAILED and DOCUMENT_TIMED_OUT carry the reason', async () => {
    const error = { code: 'NO_TEXT_EXTRACTED', message: 'The file has no text.' };
    for (const [status, errorCode] of [
      ['failed', 'DOCUMENT_FAILED'],
      ['timeout', 'DOCUMENT_TIMED_OUT'],
    ] as const) {
      script = [report(status, { error })];
      const thrown = await errorOf(connect().pollDocumentStatus('d'));
      expect(thrown).toMatchObject({ errorCode, data: { report: { id: 'd', error } } });
    }
  });

  test.each<[string, Respond]>([
    ['the server answers', report('processing')],
    ['the server hangs', () => {}],
    ['the server is away', refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '60' })],
  ])('DEADLINE_PASSED: in time, whether %s', async (_name, respond) => {
    script = [respond];
    const start = performance.now();
    const thrown = await errorOf(connect().pollDocumentStatus('d', { deadlineMs: 300 }));
    expect(thrown).toMatchObject({
      errorCode: 'DEADLINE_PASSED',
      data: { documentId: 'd', deadlineMs: 300 },
    });
    expect(performance.now() - start).toBeLessThan(2000);
  });

  test('the caller can stop waiting', async () => {
    script = [report('processing')];
    const stopping = AbortSignal.timeout(100);
    const polling = connect().pollDocumentStatus('d', { signal: stopping });
    await expect(polling).rejects.toSatisfy((reason) => reason === stopping.reason);
  });
});
