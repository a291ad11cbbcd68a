/** The client's retries against a scripted server: what is repeated, how often, and with which Idempotency-Key. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CreateOptions, KnowledgeRetrievalError, KnowledgeRetrievalSettings } from './index.ts';
import {
  breakOff,
  connectTo,
  errorOf,
  refuse,
  succeed,
  useScriptedServer,
} from './testing/scripted-server.ts';

const server = useScriptedServer();
const connect = (settings: Partial<KnowledgeRetrievalSettings> = {}) => connectTo(server, settings);

const unavailable = refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' });
const limited = refuse(429, 'RATE_LIMITED', { 'retry-after': '0' });

const content = { knowledgeBaseId: 'k', title: 't', content: 'c' };

test('a query is repeated with body and key after 429, 503 and a broken connection', async () => {
  for (const refusal of [limited, unavailable, breakOff]) {
    server.requests = [];
    server.script = [refusal, refusal, succeed([])];
    expect(await connect().query({ query: 'why' })).toEqual([]);
    expect(server.requests.map(({ path, body, headers }) => [path, body, headers['x-api-key']])).toEqual(
      Array(3).fill(['/v1/query', '{"query":"why"}', 'key']),
    );
  }
});

const keysSent = () => server.requests.map(({ headers }) => headers['idempotency-key']);

test.each<[string, (client: ReturnType<typeof connect>, call: CreateOptions) => Promise<unknown>]>([
  ['createKnowledgeBase', (client, call) => client.createKnowledgeBase({ name: 'n' }, call)],
  ['importTextContent', (client, call) => client.importTextContent(content, call)],
  [
    'presignUploadUrl',
    (client, call) => client.presignUploadUrl({ knowledgeBaseId: 'k', fileName: 'f', size: 1 }, call),
  ],
])(
  '%s has one Idempotency-Key for all attempts, a new one for each call, or the caller’s',
  async (_name, create) => {
    const client = connect();
    const keys = new Set();
    for (const refusal of [limited, unavailable, breakOff]) {
      server.requests = [];
      server.script = [refusal, refusal, succeed({ id: 'd' })];
      expect(await create(client, {})).toEqual({ id: 'd' });
      const [key] = keysSent();
      expect(key).toMatch(/^[\da-f]{32}$/);
      expect(keysSent()).toEqual([key, key, key]);
      keys.add(key);
    }
    expect(keys.size).toBe(3);
    server.requests = [];
    server.script = [unavailable, succeed({ id: 'd' })];
    await create(client, { idempotencyKey: 'mine' });
    expect(keysSent()).toEqual(['mine', 'mine']);
  },
);

test('no other request has an Idempotency-Key', async () => {
  server.script = [succeed({ id: 'd', status: 'processed' })];
  await connect().query({ query: 'why' });
  await connect().importFile({ fileId: 'f' });
  await connect().deleteDocument('d');
  await connect().getUsage();
  expect(keysSent()).toEqual([undefined, undefined, undefined, undefined]);
});

test('"not found" is a success of a deletion only after a lost answer', async () => {
  for (const [errorCode, remove] of [
    ['DOCUMENT_NOT_FOUND', () => connect().deleteDocument('d')],
    ['KNOWLEDGE_BASE_NOT_FOUND', () => connect().deleteKnowledgeBase('d')],
  ] as const) {
    const gone = refuse(404, errorCode);
    server.script = [breakOff, gone];
    expect(await remove()).toEqual({ id: 'd' });
    for (const refusals of [[gone], [limited, gone]]) {
      server.script = refusals;
      expect(await errorOf(remove())).toMatchObject({ errorCode });
    }
  }
});

test('`retries` of a call replaces the client’s', async () => {
  server.script = [breakOff];
  await errorOf(connect().importTextContent(content, { retries: 0 }));
  expect(server.requests).toHaveLength(1);
  server.script = [unavailable, unavailable, unavailable, succeed({ balance: 1 })];
  expect(await connect().getBalance({ retries: 3 })).toEqual({ balance: 1 });
});

test('a request is repeated until the deadline after 429 and 503, and twice if the server never answered', async () => {
  server.script = [limited, unavailable, limited, unavailable, limited, succeed({ balance: 1 })];
  expect(await connect().getBalance()).toEqual({ balance: 1 });
  server.requests = [];
  server.script = [breakOff];
  expect(await errorOf(connect().getBalance())).toMatchObject({ errorCode: 'NETWORK_ERROR' });
  expect(server.requests).toHaveLength(3);
});

test('the pause is as long as Retry-After says', async () => {
  server.script = [refuse(429, 'RATE_LIMITED', { 'retry-after': '1' }), succeed({ balance: 1 })];
  const start = performance.now();
  await connect().getBalance();
  expect(performance.now() - start).toBeGreaterThanOrEqual(990);
});

test('with a Retry-After above a minute the call fails at once', async () => {
  server.script = [refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '61' })];
  expect(await errorOf(connect().getBalance())).toMatchObject({
    errorCode: 'SERVICE_UNAVAILABLE',
    status: 503,
    retryAfterSeconds: 61,
  });
  expect(server.requests).toHaveLength(1);
});

test.each([0, 1, 2])('with `retries: %i` a request is repeated that often', async (retries) => {
  server.script = [unavailable];
  await errorOf(connect({ retries }).getUsage());
  expect(server.requests).toHaveLength(retries + 1);
});

describe('a server that stops answering', () => {
  /** Fails as Node's fetch does. */
  const failure = (code: string) => () =>
    Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) }));
  const refused: () => Promise<Response> = failure('ECONNREFUSED');
  const broken = failure('ECONNRESET');
  const succeeding = () => Promise.resolve(Response.json({ success: true, data: { id: 'd' } }));

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A client whose connections fail from now until `backMs`. `hasAnswered`: the server has answered it once before. */
  async function lose({ fail = refused, backMs = Number.POSITIVE_INFINITY, hasAnswered = true }) {
    let now = hasAnswered ? succeeding : fail;
    const fetch = vi.fn(() => now());
    const client = connect({ fetch });
    if (hasAnswered) await client.getUsage();
    fetch.mockClear();
    const start = performance.now();
    now = () => (performance.now() - start < backMs ? fail() : succeeding());
    const outcomeOf = async (call: Promise<unknown>) => {
      const settled = call.then(
        () => 'success',
        (error: KnowledgeRetrievalError) => error.errorCode,
      );
      const end = settled.then(() => performance.now() - start);
      await vi.advanceTimersByTimeAsync(300_000);
      return { outcome: await settled, tries: fetch.mock.calls.length, ms: await end };
    };
    return { client, outcomeOf };
  }

  const BACK = { backMs: 20_000 };
  const calls: [string, (client: ReturnType<typeof connect>) => Promise<unknown>][] = [
    ['getDocumentStatus', (client) => client.getDocumentStatus({ documentId: 'd' })],
    ['importTextContent', (client) => client.importTextContent(content)],
    ['importFile', (client) => client.importFile({ fileId: 'f' })],
    ['deleteDocument', (client) => client.deleteDocument('d')],
    ['query', (client) => client.query({ query: 'why' })],
  ];

  test.each(calls)('%s succeeds after a restart of the server', async (_name, call) => {
    const { client, outcomeOf } = await lose(BACK);
    expect(await outcomeOf(call(client))).toMatchObject({ outcome: 'success' });
  });

  test('a query is repeated only twice after a broken connection, since each may have been charged', async () => {
    const { client, outcomeOf } = await lose({ ...BACK, fail: broken });
    const query = client.query({ query: 'why' });
    expect(await outcomeOf(query)).toMatchObject({ outcome: 'NETWORK_ERROR', tries: 3 });
    const other = await lose({ ...BACK, fail: broken });
    expect(await other.outcomeOf(other.client.getUsage())).toMatchObject({ outcome: 'success' });
  });

  test('the client tries for half a minute, and less with `retries` or `deadlineMs`', async () => {
    const { client, outcomeOf } = await lose({});
    const { outcome, ms } = await outcomeOf(client.getUsage());
    expect(outcome).toBe('NETWORK_ERROR');
    expect(ms).toBeGreaterThanOrEqual(30_000);
    expect(ms).toBeLessThanOrEqual(40_000);
    const bounded = await lose({});
    expect(await bounded.outcomeOf(bounded.client.getUsage({ retries: 3 }))).toMatchObject({ tries: 4 });
    const short = await lose({});
    expect((await short.outcomeOf(short.client.getUsage({ deadlineMs: 5_000 }))).ms).toBeLessThan(5_000);
  });

  test('a pause beyond the deadline is not begun', async () => {
    const refusal = { success: false, errorCode: 'SERVICE_UNAVAILABLE', message: 'Later.', data: {} };
    const fail = async () => Response.json(refusal, { status: 503, headers: { 'retry-after': '2' } });
    const { client, outcomeOf } = await lose({ fail });
    const failed = { outcome: 'SERVICE_UNAVAILABLE', tries: 1, ms: 0 };
    expect(await outcomeOf(client.getUsage({ deadlineMs: 1_900 }))).toEqual(failed);
  });

  test('with a server that has never answered, the client tries three times within two seconds', async () => {
    const { client, outcomeOf } = await lose({ ...BACK, hasAnswered: false });
    const { outcome, tries, ms } = await outcomeOf(client.getUsage());
    expect([outcome, tries]).toEqual(['NETWORK_ERROR', 3]);
    expect(ms).toBeLessThan(2_000);
  });
});
