/** Makes bytes that are nearly HTTP: broken heads and bodies, slices, pipelines, giant headers. */
import fc from 'fast-check';
import { type GoodRequest, toSent } from '../../harness/contract/good-requests.ts';

/** Bytes for one connection. The slices are sent in turn. */
export type RawRequest = { slices: Uint8Array[]; hangsUp: boolean };

/** The bytes of the request. */
function toBytes(good: GoodRequest, extra: string[]): Buffer {
  const { method, path, headers = {}, body = '' } = toSent(good, good.fields);
  const length = Buffer.byteLength(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: a',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(length > 0 ? [`Content-Length: ${length}`] : []),
    ...extra,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

/** Additional lines for a head. Most contradict it. */
const headLines = fc.constantFrom(
  'Transfer-Encoding: chunked',
  'transfer-encoding: identity',
  'Transfer-Encoding: chunked, chunked',
  'Content-Length: 5',
  'Content-Length: 0',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'content-length : 3',
  ' folded: header',
  'Expect: 100-continue',
  'Expect: banana',
  'Connection: close',
  'Connection: Upgrade\r\nUpgrade: websocket',
  'Connection: upgrade, HTTP2-Settings\r\nUpgrade: h2c',
  'Host: b',
  'x-api-key: kr_0',
  'Trailer: x-api-key',
  'x-\u00e9: \u00ff\u00fe',
  'x-a: b\0c',
  'x-a: b\rc',
  ': nameless',
  'nonsense',
  `x-a: ${'a'.repeat(7_000)}`,
  `x-a: ${'a'.repeat(20_000)}`,
  `x-request-id: ${'r'.repeat(129)}`,
  ...[50, 500, 3000].map((count) => Array(count).fill('x-many: a').join('\r\n')),
);

const METHODS = ['BREW', 'get', 'CONNECT', 'TRACE', 'PRI', 'G ET', '', 'M-SEARCH', 'PUT', 'POST', 'QUERY'];
const TARGETS = ['*', '/', 'a', 'http://[::1', 'http://a:99999/', '//a/b', '/\0', '/\u00ff', '/ /', '?', '#'];
const VERSIONS = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', 'HTTP/1.1 ', '', 'HTTPS/1.1'];

/** Replaces the method, target or version in the request line. */
const replaceIn = (part: 0 | 1 | 2, values: string[]) =>
  fc.constantFrom(...values).map((value) => (bytes: Buffer) => {
    const end = bytes.indexOf('\r\n');
    const words = bytes.subarray(0, end).toString('latin1').split(' ');
    words[part] = value;
    return Buffer.concat([Buffer.from(words.join(' '), 'latin1'), bytes.subarray(end)]);
  });

const junk = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 20 }),
  fc
    .constantFrom(
      '\r\n',
      '\n',
      '\r',
      '\0',
      ' ',
      '\r\n\r\n',
      ':',
      '%',
      '\x16\x03\x01\x02\x00',
      '0\r\n\r\n',
      'zz\r\n',
    )
    .map((text) => new Uint8Array(Buffer.from(text, 'latin1'))),
);

/** A position in the bytes, in thousandths of their length. */
const position = fc.nat(1000);
const offsetIn = (bytes: Buffer, share: number): number => Math.floor((bytes.length * share) / 1000);

/** One change of the bytes. */
const byteChange: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc.oneof(
  fc.tuple(position, fc.integer({ min: 1, max: 255 })).map(([share, flip]) => (bytes: Buffer) => {
    const changed = Buffer.from(bytes);
    const at = offsetIn(bytes, share);
    changed[at] = (changed[at] ?? 0) ^ flip;
    return changed;
  }),
  fc.tuple(position, junk).map(([share, more]) => (bytes: Buffer) => {
    const at = offsetIn(bytes, share);
    return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
  }),
  fc.tuple(position, fc.nat(40)).map(([share, gone]) => (bytes: Buffer) => {
    const at = offsetIn(bytes, share);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + gone)]);
  }),
  position.map((share) => (bytes: Buffer) => bytes.subarray(0, offsetIn(bytes, share))),
  fc.tuple(position, position).map(([from, to]) => (bytes: Buffer) => {
    const [start, end] = [offsetIn(bytes, from), offsetIn(bytes, to)].toSorted((left, right) => left - right);
    return Buffer.concat([bytes, bytes.subarray(start, end)]);
  }),
  replaceIn(0, METHODS),
  replaceIn(1, TARGETS),
  replaceIn(2, VERSIONS),
  fc.constantFrom<(bytes: Buffer) => Buffer>(
    (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
    (bytes) => Buffer.concat([Buffer.from('\r\n\r\n'), bytes]),
    (bytes) => Buffer.from(bytes.toString('latin1'), 'utf16le'),
    (bytes) => Buffer.from(bytes.toString('latin1').replace(/^Host: a\r\n/m, ''), 'latin1'),
  ),
);

/** Cuts the bytes at these positions into slices. */
function cut(bytes: Buffer, shares: number[]): Uint8Array[] {
  const offsets = [0, ...shares.map((share) => offsetIn(bytes, share)), bytes.length].toSorted(
    (left, right) => left - right,
  );
  return offsets.slice(1).map((end, index) => bytes.subarray(offsets[index], end));
}

const oneRequest = fc.record({
  pick: fc.nat(1_000_000),
  extra: fc.array(headLines, { maxLength: 2 }),
  changes: fc.array(byteChange, { maxLength: 2 }),
});

/** The last request on each connection. The service answers it and closes a connection that still works. */
const LAST = Buffer.from('GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');

/** One to four broken requests on one connection, or noise. A good request follows. */
export function rawRequest(goods: () => GoodRequest[]): fc.Arbitrary<RawRequest> {
  const request = oneRequest.map(({ pick, extra, changes }) => {
    const all = goods();
    const good = all[pick % all.length];
    if (good === undefined) throw new Error('there is no good request to break');
    return changes.reduce((bytes, change) => change(bytes), toBytes(good, extra));
  });
  const noise = fc.uint8Array({ minLength: 1, maxLength: 2000 }).map((bytes) => Buffer.from(bytes));
  const pipeline = fc.array(request, { minLength: 1, maxLength: 4 }).map((all) => Buffer.concat(all));
  const bytes = fc.oneof({ weight: 4, arbitrary: request }, { weight: 2, arbitrary: pipeline }, noise);
  const shares = fc.oneof(fc.constant<number[]>([]), fc.array(position, { maxLength: 5 }));
  const hangsUp = fc.integer({ min: 0, max: 9 }).map((number) => number === 0);
  return fc.tuple(bytes, shares, hangsUp).map(([all, at, hangs]) => ({
    slices: cut(Buffer.concat([all, LAST]), at),
    hangsUp: hangs,
  }));
}
