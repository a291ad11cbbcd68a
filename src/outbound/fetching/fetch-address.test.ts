/** Servers that are slow, lying, redirecting, not where their names say, or that send more than was asked for. */
import { BlockList } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import manifest from 'knowledge-retrieval/package.json' with { type: 'json' };
import { afterEach, expect, test } from 'vitest';
import { FETCH_LIMITS, type Fetching, fetchAddress } from './fetch-address.ts';
import type { FetchFailure } from './fetch-failure.ts';
import { type Respond, rulesForOrigins, startOrigin } from './testing/origin.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const rules = rulesForOrigins();

async function originWith(respond: Respond) {
  const origin = await startOrigin(respond);
  closing.push(origin.close);
  return origin;
}

/** Fetches, and returns what arrived. Reads and closes the file. */
async function fetchAll(url: string, options: Partial<Fetching> = {}) {
  const fetched = await fetchAddress(url, { rules, signal: new AbortController().signal, ...options });
  if (fetched === 'unchanged') return { outcome: fetched };
  const { spooled, ...facts } = fetched;
  const bytes = await buffer(spooled.bytes());
  await spooled.close();
  return { ...facts, bytes, text: bytes.toString(), sizeBytes: spooled.sizeBytes };
}

const failureOf = (url: string, options: Partial<Fetching> = {}): Promise<FetchFailure> =>
  fetchAll(url, options).then(
    (fetched) => expect.fail(`it has fetched ${JSON.stringify(fetched).slice(0, 200)}`),
    (error) => error as FetchFailure,
  );

test('a file arrives with its name, encoding and version, and the server learns who asks', async () => {
  const origin = await originWith((_, response) =>
    response
      .writeHead(200, {
        'content-type': 'text/html; charset="ISO-8859-1"',
        'content-disposition': `attachment; filename="x.bin"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.html`,
        etag: '"v1"',
        'last-modified': 'Thu, 15 Jan 2026 09:28:41 GMT',
      })
      .end('<p>The heron waits.'),
  );
  expect(await fetchAll(`${origin.url}/birds/heron?x=1`)).toMatchObject({
    title: 'Größe.html',
    fileName: 'Größe.html',
    charset: 'iso-8859-1',
    etag: '"v1"',
    lastModified: 'Thu, 15 Jan 2026 09:28:41 GMT',
    finalUrl: `${origin.url}/birds/heron?x=1`,
    text: '<p>The heron waits.',
    sizeBytes: 19,
  });
  expect(origin.received).toMatchObject([
    { line: 'GET /birds/heron?x=1', headers: { 'user-agent': `knowledge-retrieval/${manifest.version}` } },
  ]);
});

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
])('a body packed by %s is unpacked, also twice', async (encoding, pack) => {
  const text = 'The heron waits. '.repeat(10_000);
  const origin = await originWith(({ url }, response) =>
    url === '/once'
      ? response.writeHead(200, { 'content-encoding': encoding }).end(pack(text))
      : response.writeHead(200, { 'content-encoding': `${encoding}, gzip` }).end(gzipSync(pack(text))),
  );
  expect(await fetchAll(`${origin.url}/once`)).toMatchObject({ text });
  expect(await fetchAll(`${origin.url}/twice`)).toMatchObject({ text });
});

const limits = { ...FETCH_LIMITS, bytesMax: 100_000 };

test.each<[string, Respond]>([
  [
    'a body without end',
    (_, response) => {
      const piece = Buffer.alloc(65_536);
      const write = () => {
        while (response.writable && response.write(piece));
      };
      response.writeHead(200).on('drain', write);
      write();
    },
  ],
  [
    'a packed body of a thousand times its size',
    (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20_000_000))),
  ],
  [
    'one packed twice',
    (_, response) =>
      response
        .writeHead(200, { 'content-encoding': 'gzip, gzip' })
        .end(gzipSync(gzipSync(Buffer.alloc(20_000_000)))),
  ],
  [
    'a length beyond the limit',
    (_, response) => response.writeHead(200, { 'content-length': 100_001 }).write('x'),
  ],
])('%s is too large', async (_, respond) => {
  const { url } = await originWith(respond);
  expect(await failureOf(url, { limits })).toMatchObject({ code: 'FILE_TOO_LARGE', isTemporary: false });
});

test('a file of exactly the limit is not too large', async () => {
  const { url } = await originWith((_, response) => response.end(Buffer.alloc(100_000)));
  expect(await fetchAll(url, { limits })).toMatchObject({ sizeBytes: 100_000 });
});

test.each<[string, Respond]>([
  [
    'fewer bytes than announced',
    (_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('some');
      setTimeout(() => response.destroy(), 20);
    },
  ],
  [
    'a packed body that breaks off',
    (_, response) =>
      response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(gzipSync('x'.repeat(9_999)).subarray(0, 20)),
  ],
  [
    'a packed body that is none',
    (_, response) => response.writeHead(200, { 'content-encoding': 'br' }).end('plain'),
  ],
  ['an unknown packing', (_, response) => response.writeHead(200, { 'content-encoding': 'zip' }).end('x')],
  ['a connection that ends at once', (_, response) => response.destroy()],
  ['status 503', (_, response) => response.writeHead(503).end('later')],
  ['status 429', (_, response) => response.writeHead(429).end()],
])('%s may succeed later', async (_, respond) => {
  const { url } = await originWith(respond);
  const failure = await failureOf(url);
  expect(failure).toMatchObject({ code: 'URL_UNREACHABLE', isTemporary: true });
  expect(failure.message).toContain('Import the address again later.');
});

test.each([
  [404, 'URL_NOT_FOUND'],
  [410, 'URL_NOT_FOUND'],
  [401, 'URL_REFUSED'],
  [403, 'URL_REFUSED'],
  [451, 'URL_REFUSED'],
  [204, 'URL_UNREACHABLE'],
  [206, 'URL_UNREACHABLE'],
  [300, 'URL_UNREACHABLE'],
  [304, 'URL_UNREACHABLE'],
])('status %i is final: %s, with a sentence that names it', async (status, code) => {
  const { url } = await originWith((_, response) => response.writeHead(status).end());
  const failure = await failureOf(url);
  expect(failure).toMatchObject({ code, isTemporary: false });
  expect(failure.message).toMatch(new RegExp(`status ${status}\\b.*\\. \\w.*\\.$`));
});

test('Retry-After is waited for up to two minutes, in seconds or as a date', async () => {
  const { url } = await originWith(({ url: path }, response) =>
    response.writeHead(429, { 'retry-after': decodeURI((path ?? '').slice(1)) }).end(),
  );
  expect(await failureOf(`${url}/90`)).toMatchObject({ isTemporary: true, afterSeconds: 90 });
  expect(await failureOf(`${url}/3600`)).toMatchObject({ isTemporary: false });
  expect((await failureOf(`${url}/3600`)).message).toContain('after 3600 seconds');
  const soon = new Date(Date.now() + 60_000).toUTCString();
  const { afterSeconds = 0 } = await failureOf(`${url}/${encodeURI(soon)}`);
  expect(Math.abs(afterSeconds - 60)).toBeLessThan(30);
});

test('an empty file, and headers without end, are failures', async () => {
  const empty = await originWith((_, response) => response.end());
  expect(await failureOf(empty.url)).toMatchObject({ code: 'NO_TEXT_EXTRACTED' });
  const long = await originWith((_, response) =>
    response.writeHead(200, { x: 'y'.repeat(100_000) }).end('z'),
  );
  expect(await failureOf(long.url)).toMatchObject({ code: 'URL_UNREACHABLE' });
});

test('redirects are followed, relative ones too, without fragments; the last address names the file', async () => {
  const origin = await originWith(({ url }, response) => {
    const next = { '/a': '/b', '/b': 'c/d#part', '/c/d': `${origin.url}/e.md` }[url ?? ''];
    if (next === undefined) response.end('# The heron');
    else response.writeHead(302, { location: next }).end();
  });
  const fetched = await fetchAll(`${origin.url}/a`);
  expect(fetched).toMatchObject({ fileName: 'e.md', finalUrl: `${origin.url}/e.md` });
  expect(origin.received.map(({ line }) => line)).toEqual(['GET /a', 'GET /b', 'GET /c/d', 'GET /e.md']);
});

test('five redirects are followed, and no sixth', async () => {
  const { url, received } = await originWith(({ url: path }, response) =>
    response.writeHead(301, { location: `${path}x` }).end(),
  );
  expect(await failureOf(`${url}/`)).toMatchObject({ code: 'URL_UNREACHABLE', isTemporary: false });
  expect(received).toHaveLength(6);
});

test.each([
  ['a private network', 'http://10.0.0.1/'],
  ['the metadata of a cloud', 'http://169.254.169.254/latest/meta-data'],
  ['this machine by its name', 'http://localhost:8080/'],
  ['IPv6 of this machine', 'http://[::1]:8080/'],
  ['an address as a number', 'http://2852039166/'],
  ['another protocol', 'ftp://example.org/file'],
  ['a file', 'file:///etc/passwd'],
  ['a port of another service', 'http://example.org:25/'],
  ['a password', 'http://user:password@example.org/'],
])('a redirect to %s is refused', async (_, location) => {
  const { url } = await originWith((_, response) => response.writeHead(302, { location }).end());
  const failure = await failureOf(url);
  expect(failure).toMatchObject({ code: 'URL_NOT_ALLOWED', isTemporary: false });
  expect(failure.message).toMatch(
    /^The address redirects, and where it leads must .*Upload the file instead/,
  );
});

test('a name is looked up for each connection, and only what was checked is connected to', async () => {
  const inside = await originWith((_, response) => response.end('secret'));
  const only = { protocols: ['http:'], allowedPrivate: 'none' } as const;
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3']) {
    const fetching = { rules: { ...only, resolve: async () => [address] } };
    const failure = await failureOf(`http://rebinding.example.com:${inside.port}/`, fetching);
    expect(failure).toMatchObject({ code: 'URL_NOT_ALLOWED' });
    expect(failure.message).toMatch(/^The address must not lead to a private, local or reserved network\./);
  }
  expect(inside.received).toEqual([]);
});

test('a name that is public at first and private after a redirect to itself is refused', async () => {
  const origin = await originWith((_, response) => response.writeHead(302, { location: '/again' }).end());
  // 127.0.0.1 stands for the public address: only it is allowed here.
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  const resolve = async () => answers.shift() ?? [];
  const failure = await failureOf(`http://rebinding.example.com:${origin.port}/`, {
    rules: { ...rules, resolve },
  });
  expect(failure).toMatchObject({ code: 'URL_NOT_ALLOWED' });
  expect(origin.received).toHaveLength(1);
});

test('an allowed name is opened although its addresses are private', async () => {
  const { port } = await originWith((_, response) => response.end('inside'));
  const allowedPrivate = { names: new Set(['localhost']), networks: new BlockList() };
  const allowed = { ...rules, allowedPrivate };
  expect(await fetchAll(`http://LOCALHOST:${port}/`, { rules: allowed })).toMatchObject({ text: 'inside' });
});

test('a slow server is left: without connection, without answer, without bytes, and drop by drop', async () => {
  const quick = { ...FETCH_LIMITS, connectMs: 200, silentMs: 200, wholeMs: 1_000 };
  const cases: [Respond, string][] = [
    [() => {}, 'did not answer within 0.2 seconds'],
    [(_, response) => response.writeHead(200).write('x'), 'did not send a byte within 0.2 seconds'],
    [
      (_, response) => {
        const timer = setInterval(() => response.write('x'), 50);
        response.writeHead(200).on('close', () => clearInterval(timer));
      },
      'did not send the whole file within 1 seconds',
    ],
  ];
  for (const [respond, sentence] of cases) {
    const { url } = await originWith(respond);
    const failure = await failureOf(url, { limits: quick });
    expect(failure).toMatchObject({ code: 'URL_UNREACHABLE', isTemporary: true });
    expect(failure.message).toContain(sentence);
  }
  const never = { ...rules, resolve: () => new Promise<never>(() => {}) };
  const failure = await failureOf('http://slow.example.com/', { rules: never, limits: quick });
  expect(failure.message).toContain('did not take the connection within 0.2 seconds');
});

test('a name that no server knows is final', async () => {
  const unknown = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  const resolve = () => Promise.reject(unknown);
  expect(await failureOf('http://unknown.example.com/', { rules: { ...rules, resolve } })).toMatchObject({
    code: 'URL_UNREACHABLE',
    isTemporary: false,
  });
});

test('the server is asked by the validators that it has sent, at the address that has sent them', async () => {
  const origin = await originWith(({ url, headers }, response) => {
    if (url === '/old') response.writeHead(302, { location: '/new' }).end();
    else if (headers['if-none-match'] === '"v1"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"v2"' }).end('changed');
  });
  const known = {
    finalUrl: `${origin.url}/new`,
    etag: '"v1"',
    lastModified: 'Thu, 15 Jan 2026 09:28:41 GMT',
  };
  expect(await fetchAll(`${origin.url}/old`, { known })).toEqual({ outcome: 'unchanged' });
  expect(origin.received.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"']);
  expect(origin.received[1]?.headers['if-modified-since']).toBe(known.lastModified);
  const moved = await fetchAll(`${origin.url}/old`, { known: { ...known, finalUrl: `${origin.url}/other` } });
  expect(moved).toMatchObject({ text: 'changed', etag: '"v2"' });
});

test('an abort ends the fetch with its reason', async () => {
  const stopping = new AbortController();
  const { url } = await originWith(() => stopping.abort(new Error('the worker stops')));
  await expect(fetchAll(url, { signal: stopping.signal })).rejects.toThrow('the worker stops');
});
