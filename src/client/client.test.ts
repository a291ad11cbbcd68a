/** The client against a scripted server: time-outs, errors, uploads, waiting for imports. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { KnowledgeRetrievalSettings, UploadFileRequest } from './index.ts';
import {
  answer,
  breakOff,
  connectTo,
  errorOf,
  type Respond,
  refuse,
  succeed,
  useScriptedServer,
} from './testing/scripted-server.ts';

const server = useScriptedServer();
const connect = (settings: Partial<KnowledgeRetrievalSettings> = {}) => connectTo(server, settings);

const content = { knowledgeBaseId: 'k', title: 't', content: 'c' };

test('a key is sent without the line end that it has in a file', async () => {
  server.script = [succeed({ balance: 1 })];
  await connect({ apiKey: ' kr_key\r\n' }).getBalance();
  expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': 'kr_key' });
});

test('an id may be passed as a field of an object, or alone', async () => {
  server.script = [succeed({ id: 'd', status: 'processed' })];
  const client = connect();
  const [document, knowledgeBase] = [{ documentId: 'd' }, { knowledgeBaseId: 'k' }];
  const webhook = { webhookId: 'w' };
  const calls = [
    [() => client.getDocument('d'), () => client.getDocument(document)],
    [() => client.getDocumentStatus('d'), () => client.getDocumentStatus(document)],
    [() => client.getDocumentContent('d'), () => client.getDocumentContent(document)],
    [() => client.listPassages('d'), () => client.listPassages(document)],
    [() => client.retryDocument('d'), () => client.retryDocument(document)],
    [() => client.getKnowledgeBase('k'), () => client.getKnowledgeBase(knowledgeBase)],
    [() => client.listDocuments('k'), () => client.listDocuments(knowledgeBase)],
    [() => client.importFile('f'), () => client.importFile({ fileId: 'f' })],
    [() => client.importFileAndPoll('f'), () => client.importFileAndPoll({ fileId: 'f' })],
    [() => client.testWebhook('w'), () => client.testWebhook(webhook)],
    [() => client.deleteWebhook('w'), () => client.deleteWebhook(webhook)],
    [() => client.deleteDocument('d'), () => client.deleteDocument(document)],
    [() => client.deleteKnowledgeBase('k'), () => client.deleteKnowledgeBase(knowledgeBase)],
    [() => client.pollDocumentStatus('d'), () => client.pollDocumentStatus(document)],
  ] as const;
  const sentBy = async (call: () => Promise<unknown>) => {
    server.requests = [];
    await call();
    return server.requests.map(({ path, body }) => ({ path, body }));
  };
  for (const [callWithId, callWithObject] of calls)
    expect(await sentBy(callWithObject)).toEqual(await sentBy(callWithId));
});

test('a filter of a list is sent as JSON, and a parameter without a value not at all', async () => {
  server.script = [succeed([])];
  const filter = { type: 'in', key: 'a.b', value: ['ü & =', 1, true] } as const;
  const query = { knowledgeBaseId: 'k', filter, cursor: undefined };
  await connect().listDocuments(query as never); // a program without types may send undefined
  const { searchParams } = new URL(server.requests[0]?.path ?? '', server.address);
  expect([...searchParams.keys()]).toEqual(['knowledgeBaseId', 'filter']);
  expect(JSON.parse(searchParams.get('filter') ?? '')).toEqual(filter);
});

describe('errors', () => {
  test('have code, message, data, status and request id of the answer', async () => {
    const data = { limit: 10, used: 9, requested: 2 };
    server.script = [refuse(403, 'STORAGE_LIMIT_EXCEEDED', {}, data)];
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

  test('NETWORK_ERROR: no program listens at the port', async () => {
    const error = await errorOf(connect({ baseUrl: 'http://127.0.0.1:9', retries: 0 }).getUsage());
    expect(error).toMatchObject({ errorCode: 'NETWORK_ERROR', status: undefined });
  });

  test.each<[string, Respond]>([
    ['no answer', () => {}],
    ['half an answer', (response) => response.writeHead(200).write('{')],
  ])('REQUEST_TIMED_OUT: %s; the request is not repeated', async (_name, respond) => {
    server.script = [respond];
    const error = await errorOf(connect({ timeoutMs: 100 }).getUsage());
    expect(error).toMatchObject({ errorCode: 'REQUEST_TIMED_OUT', data: { timeoutMs: 100 } });
    expect(server.requests).toHaveLength(1);
  });

  test('UNEXPECTED_ANSWER: a redirection is not followed, so the key goes nowhere else', async () => {
    server.script = [answer(307, '', { location: `${server.address}/elsewhere` })];
    const error = await errorOf(connect().query({ query: 'where' }));
    expect(error).toMatchObject({
      errorCode: 'UNEXPECTED_ANSWER',
      message: expect.stringContaining('redirects to http'),
    });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [502, '<h1>Bad gateway</h1>'],
    [200, '<h1>Sign in</h1>'],
    [404, '{}'],
    [200, '{}'],
    [200, '{"success":true,"data":null}'],
  ])('UNEXPECTED_ANSWER: %i %s', async (status, body) => {
    server.script = [answer(status, body)];
    const error = await errorOf(connect().getUsage());
    expect(error).toMatchObject({ errorCode: 'UNEXPECTED_ANSWER', status, data: { text: body } });
  });

  test('ABORTED: during a request, during a pause and before its turn; `cause` is the signal’s reason', async () => {
    for (const respond of [() => {}, refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '60' })]) {
      server.script = [respond];
      const stopping = new AbortController();
      setTimeout(() => stopping.abort('enough'), 100);
      const client = connect({ concurrency: 1 });
      const calls = [
        client.getUsage({ signal: stopping.signal }),
        client.getUsage({ signal: stopping.signal }),
      ];
      for (const call of calls)
        expect(await errorOf(call)).toMatchObject({ errorCode: 'ABORTED', cause: 'enough' });
    }
    const before = server.requests.length;
    const error = await errorOf(connect().getUsage({ signal: AbortSignal.abort('before') }));
    expect([error.errorCode, server.requests.length]).toEqual(['ABORTED', before]);
  });

  test('NETWORK_ERROR: the message names CORS only in a web page of another origin', async () => {
    const baseUrl = 'http://127.0.0.1:9';
    const messageAt = async (origin: string | undefined) => {
      vi.stubGlobal('location', origin && { origin, href: `${origin}/` });
      return (await errorOf(connect({ baseUrl, retries: 0 }).getUsage())).message;
    };
    expect(await messageAt('https://app.example')).toBe(
      'http://127.0.0.1:9 did not answer, or it does not let pages of https://app.example call (CORS): ' +
        'its setting CORS_ORIGIN must name that origin.',
    );
    expect(await messageAt(baseUrl)).toBe('http://127.0.0.1:9 did not answer.');
    vi.unstubAllGlobals();
  });

  test.each<[string, object]>([
    ['baseUrl', { baseUrl: 8080 as never }],
    ['baseUrl', { baseUrl: '' }],
    ['baseUrl', { baseUrl: 'localhost:8080' }],
    ['baseUrl', { baseUrl: '127.0.0.1:8080' }],
    ['apiKey', { apiKey: 7 as never }],
    ['apiKey', { apiKey: '\n' }],
    ['apiKey', { apiKey: 'kr_a\nkr_b' }],
    ['concurrency', { concurrency: 0 }],
  ])('INVALID_ARGUMENT: creating the client fails for %s in %o', async (argument, settings) => {
    const error = await errorOf((async () => connect(settings))());
    expect(error).toMatchObject({ errorCode: 'INVALID_ARGUMENT', data: { argument } });
    expect(error.message).not.toContain('kr_');
  });

  test('INVALID_ARGUMENT: input of which no request can be made', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const calls = {
      input: connect().query(cyclic as never), // what the types forbid
      idempotencyKey: connect().createKnowledgeBase({ name: 'n' }, { idempotencyKey: 'a b' }),
      timeoutMs: connect().getUsage({ timeoutMs: -1 }),
    };
    for (const [argument, call] of Object.entries(calls))
      expect(await errorOf(call)).toMatchObject({ errorCode: 'INVALID_ARGUMENT', data: { argument } });
    expect(server.requests).toHaveLength(0);
  });
});

describe('uploads', () => {
  const ticket = (uploadUrl: string) =>
    succeed({ fileId: 'f', uploadUrl, method: 'PUT', headers: { 'x-store': 'yes' } });

  test('an upload requests a ticket, sends the bytes with its headers but no key, and imports them', async () => {
    server.script = [
      ticket(`${server.address}/uploads/f`),
      answer(200, ''),
      succeed({ id: 'd', status: 'pending' }),
    ];
    const file = new Blob(['héllo']);
    const document = await connect().uploadFile({ knowledgeBaseId: 'k', file, fileName: 'a.txt' });
    expect(document).toEqual({ id: 'd', status: 'pending' });
    const [asked, sent, imported] = server.requests;
    expect(asked).toMatchObject({ body: '{"knowledgeBaseId":"k","fileName":"a.txt","size":6}' });
    expect(sent).toMatchObject({ method: 'PUT', path: '/uploads/f', body: 'héllo' });
    expect(sent?.headers).toMatchObject({ 'content-length': '6', 'x-store': 'yes' });
    expect(sent?.headers).not.toHaveProperty('x-api-key');
    expect(imported).toMatchObject({ path: '/v1/importFile', body: '{"fileId":"f"}' });
  });

  test('the bytes are sent again after a broken connection', async () => {
    server.script = [ticket(`${server.address}/uploads/f`), breakOff, answer(200, ''), succeed({ id: 'd' })];
    await connect().uploadFile({ knowledgeBaseId: 'k', file: new File(['abc'], 'a.txt') });
    expect(server.requests.slice(1, 3).map(({ body }) => body)).toEqual(['abc', 'abc']);
  });

  test.each<[string, () => Extract<UploadFileRequest, { fileName: string }>['file']]>([
    ['a Uint8Array', () => new TextEncoder().encode('héllo')],
    ['an ArrayBuffer', () => new TextEncoder().encode('héllo').buffer],
    ['a Buffer', () => Buffer.from('héllo')],
    ['a part of a buffer', () => new TextEncoder().encode('-héllo-').subarray(1, 7)],
    ['a web stream', () => new Blob(['hé', 'llo']).stream()],
    ['a stream of Node', () => Readable.from([Buffer.from('hé'), Buffer.from('llo')])],
  ])('%s is sent as one body, and again after a broken connection', async (_, open) => {
    server.script = [ticket(`${server.address}/uploads/f`), breakOff, answer(200, ''), succeed({ id: 'd' })];
    await connect().uploadFile({ knowledgeBaseId: 'k', file: open(), fileName: 'a.txt' });
    expect(server.requests[0]).toMatchObject({ body: '{"knowledgeBaseId":"k","fileName":"a.txt","size":6}' });
    expect(server.requests.slice(1, 3).map(({ body }) => body)).toEqual(['héllo', 'héllo']);
  });

  test('FILE_UNREADABLE, before anything is sent: a stream that breaks off', async () => {
    async function* breaking() {
      yield new Uint8Array(1);
      throw new Error('the disk is gone');
    }
    const failed = errorOf(
      connect().uploadFile({ knowledgeBaseId: 'k', file: breaking(), fileName: 'a.txt' }),
    );
    const message = 'a.txt cannot be read: the disk is gone.';
    expect(await failed).toMatchObject({ errorCode: 'FILE_UNREADABLE', message });
    expect(server.requests).toHaveLength(0);
  });

  test.each<[string, () => UploadFileRequest['file']]>([
    ['a path', () => import.meta.filename],
    ['a file: URL', () => new URL(import.meta.url)],
    ['a stream of createReadStream', () => createReadStream(import.meta.filename)],
  ])('%s determines name and bytes', async (_, open) => {
    server.script = [ticket(`${server.address}/uploads/f`), answer(200, ''), succeed({ id: 'd' })];
    await connect().uploadFile({ knowledgeBaseId: 'k', file: open() } as UploadFileRequest); // each has a name
    expect(server.requests[0]?.body).toContain('"fileName":"client.test.ts"');
    expect(server.requests[1]?.body).toContain('determines name and bytes');
  });

  test('a stream with a size is read when it is sent, and must have that size', async () => {
    let isRead = false;
    async function* give() {
      isRead = true;
      yield Buffer.from('hé');
      yield Buffer.from('llo');
    }
    const file = (size: number) => ({ knowledgeBaseId: 'k', file: give(), fileName: 'a.txt', size });
    server.script = [refuse(403, 'STORAGE_LIMIT_EXCEEDED')];
    await errorOf(connect().uploadFile(file(6)));
    expect(isRead).toBe(false);
    server.requests = [];
    server.script = [ticket(`${server.address}/uploads/f`), breakOff, answer(200, ''), succeed({ id: 'd' })];
    await connect().uploadFile(file(6));
    expect(server.requests.map(({ body }) => body).slice(0, 3)).toEqual([
      '{"knowledgeBaseId":"k","fileName":"a.txt","size":6}',
      'héllo',
      'héllo',
    ]);
    for (const size of [5, 7]) {
      server.script = [ticket(`${server.address}/uploads/f`)];
      const message = `a.txt cannot be read: its stream does not have the ${size} bytes that \`size\` says.`;
      const error = await errorOf(connect().uploadFile(file(size)));
      expect(error).toMatchObject({ errorCode: 'FILE_UNREADABLE', message });
    }
  });

  test('INVALID_ARGUMENT, before anything is sent: a stream that is too large, or gives no bytes', async () => {
    let givenBytes = 0;
    const piece = new Uint8Array(1024 * 1024);
    async function* endless() {
      for (;;) {
        givenBytes += piece.length;
        yield piece;
      }
    }
    const upload = (file: AsyncIterable<never>) =>
      errorOf(connect().uploadFile({ knowledgeBaseId: 'k', file, fileName: 'a.txt' }));
    expect(await upload(endless() as AsyncIterable<never>)).toMatchObject({
      errorCode: 'INVALID_ARGUMENT',
      message: 'a.txt is larger than 50 MiB, the most that a file may have.',
    });
    expect(givenBytes).toBe(51 * piece.length);
    expect(await upload(Readable.from(['text']) as AsyncIterable<never>)).toMatchObject({
      errorCode: 'INVALID_ARGUMENT',
      message: 'The stream of a.txt must give bytes; it gave a string.',
    });
    expect(server.requests).toHaveLength(0);
  });

  test('ABORTED: while a stream gives nothing', async () => {
    const file = new ReadableStream<Uint8Array>();
    const signal = AbortSignal.timeout(50);
    const call = connect().uploadFile({ knowledgeBaseId: 'k', file, fileName: 'a.txt' }, { signal });
    expect(await errorOf(call)).toMatchObject({ errorCode: 'ABORTED', cause: signal.reason });
  });

  test.each<[string, string, unknown]>([
    ['FILE_UNREADABLE', '/nothing cannot be read: there is no such file.', '/nothing'],
    ['FILE_UNREADABLE', '/etc cannot be read: it is a directory.', '/etc'],
    ['FILE_UNREADABLE', '/dev/null cannot be read: it is not a regular file.', '/dev/null'],
    ['INVALID_ARGUMENT', 'A file without a name needs a fileName.', new Blob(['a'])],
    ['INVALID_ARGUMENT', 'A file without a name needs a fileName.', new Uint8Array(1)],
    ...[undefined, null, 7, {}, ['a']].map((file): [string, string, unknown] => [
      'INVALID_ARGUMENT',
      'file must be a path, a file: URL, a File, a Blob, an ArrayBuffer, a Uint8Array or a stream.',
      file,
    ]),
    [
      'INVALID_ARGUMENT',
      'Only file: addresses can be read, not https:; pass (await fetch(address)).body with a fileName.',
      new URL('https://example.com/a.pdf'),
    ],
  ])('%s, before anything is sent: %s', async (errorCode, message, file) => {
    const wrong = { knowledgeBaseId: 'k', file } as never; // what the types forbid
    expect(await errorOf(connect().uploadFile(wrong))).toMatchObject({ errorCode, message });
    expect(server.requests).toHaveLength(0);
  });

  test('a refused upload throws, and nothing is imported', async () => {
    server.script = [ticket(`${server.address}/uploads/f`), refuse(409, 'FILE_ALREADY_IMPORTED')];
    const call = connect().uploadFile({ knowledgeBaseId: 'k', file: new File(['abc'], 'a.txt') });
    expect(await errorOf(call)).toMatchObject({ errorCode: 'FILE_ALREADY_IMPORTED', status: 409 });
    expect(server.requests).toHaveLength(2);
  });
});

describe('waiting for an import', () => {
  const report = (status: string, more = {}) => succeed({ id: 'd', status, ...more });

  test('asks until the document is processed, once a second at most, with the longest possible wait', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const statuses = ['pending', 'processing', 'processed'];
    const asked: string[] = [];
    const fetch = async (address: unknown) => {
      asked.push(String(address).split('?')[1] ?? '');
      return Response.json({ success: true, data: { id: 'd', status: statuses.shift(), passageCount: 3 } });
    };
    const polling = connect({ fetch }).pollDocumentStatus('d', { deadlineMs: 20_500 });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(asked).toEqual(['documentId=d&waitSeconds=20', 'documentId=d&waitSeconds=19']);
    await vi.advanceTimersByTimeAsync(1);
    expect(await polling).toEqual({ id: 'd', status: 'processed', passageCount: 3 });
    expect(asked.slice(2)).toEqual(['documentId=d&waitSeconds=18']);
  });

  test('returns the document with the fields of its final status', async () => {
    server.script = [
      succeed({ id: 'd', title: 'a', status: 'pending' }),
      report('processed', { passageCount: 3 }),
    ];
    const document = await connect().importFileAndPoll({ fileId: 'f' });
    expect(document).toEqual({ id: 'd', title: 'a', status: 'processed', passageCount: 3 });
    expect(server.requests[1]?.path).toContain('waitSeconds=30');
  });

  test('asks nothing about a document that is processed already', async () => {
    server.script = [report('processed', { unchanged: true })];
    const document = await connect().importFileAndPoll({ fileId: 'f', ifUnchanged: 'skip' });
    expect(document).toEqual({ id: 'd', status: 'processed', unchanged: true });
    expect(server.requests).toHaveLength(1);
  });

  test('DOCUMENT_FAILED and DOCUMENT_TIMED_OUT have the reason', async () => {
    const error = { code: 'NO_TEXT_EXTRACTED', message: 'The file has no text.' };
    for (const [status, errorCode] of [
      ['failed', 'DOCUMENT_FAILED'],
      ['timeout', 'DOCUMENT_TIMED_OUT'],
    ] as const) {
      server.script = [report(status, { error })];
      const thrown = await errorOf(connect().pollDocumentStatus('d'));
      expect(thrown).toMatchObject({ errorCode, data: { report: { id: 'd', error } } });
    }
  });

  test.each<[string, Respond]>([
    ['the server answers', report('processing')],
    ['the server hangs', () => {}],
    ['the server is unavailable', refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '60' })],
  ])('DEADLINE_PASSED: in time, also when %s', async (_name, respond) => {
    server.script = [respond];
    const [stopping, laterEnded] = [new AbortController(), vi.fn()];
    const later = { deadlineMs: 5_000, signal: stopping.signal };
    connect().pollDocumentStatus('d', later).catch(laterEnded);
    const thrown = await errorOf(connect().pollDocumentStatus('d', { deadlineMs: 300 }));
    expect(thrown).toMatchObject({
      errorCode: 'DEADLINE_PASSED',
      data: { documentId: 'd', deadlineMs: 300 },
    });
    expect(laterEnded).not.toHaveBeenCalled();
    stopping.abort();
  });

  test('ABORTED: the caller can stop waiting', async () => {
    server.script = [report('processing')];
    const stopping = AbortSignal.timeout(100);
    const polling = connect().pollDocumentStatus('d', { signal: stopping });
    expect(await errorOf(polling)).toMatchObject({ errorCode: 'ABORTED', cause: stopping.reason });
  });
});
