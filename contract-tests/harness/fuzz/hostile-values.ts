/** Values that have broken servers before, and generators of more of them. */
import fc from 'fast-check';

const TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\ufeff',
  '\uffff',
  '\u202e\u2066',
  `e${'\u0301'.repeat(300)}`,
  '👩‍👩‍👧‍👦'.repeat(30),
  'ﷺ'.repeat(50),
  "' OR '1'='1",
  "'; DROP TABLE documents; --",
  "\\'; SELECT pg_sleep(20); --",
  'a & b | !c <-> d:*',
  "':*'''&&||!!((",
  '"unclosed phrase -minus OR or',
  '%s%n%x $1 {{7*7}}',
  '../../../../etc/passwd',
  'C:\\con\\aux',
  '<script>alert(1)</script>',
  '\r\nSet-Cookie: a=b\r\n\r\n',
  '__proto__',
  'constructor',
  'NaN',
  '1e400',
  'null',
  'x'.repeat(37),
  'x'.repeat(9000),
  '0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f',
  `0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f_${'f'.repeat(36)}`,
  `${'-'.repeat(36)}_${'-'.repeat(36)}`,
  // Cursors that resemble the service's own.
  ...['0.0', `9999999999999999.${'f'.repeat(36)}`, `-1.0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f`].map((text) =>
    Buffer.from(text).toString('base64url'),
  ),
];

/** Any text, lone surrogates included; some as the extension of a file's name. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS) },
  fc.constantFrom(...TEXTS).map((text) => `notes.${text}`),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom('\ud83d', '\ude00', '\u0000', 'a', '\u0301', "'", '\\', ':', '&', '*'),
    maxLength: 60,
  }),
  fc.string({ minLength: 36, maxLength: 36 }),
  fc.uuid(),
);

const EXTREMES = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1,
  50,
  51,
  1000,
  1001,
  1.5,
  1e-7,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  52_428_800,
  52_428_801,
  [],
  {},
  [[]],
  [null],
  { length: 1 },
];

/** Any JSON value. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.constantFrom(...EXTREMES) },
  fc.array(hostileText, { maxLength: 4 }),
  fc.array(fc.constant('x'.repeat(36)), { minLength: 99, maxLength: 101 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A meaningless query string. All bytes other than printable ASCII are written as %XX, which node:http requires. */
export const queryJunk: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom(
    ...[
      '%',
      '%00',
      '%ff',
      '%E0%A4',
      '%F0%9F%98%80',
      '&',
      '=',
      '[',
      ']',
      '+',
      'a',
      '1',
      '-',
      '?',
      '#',
      '.',
      '/',
    ],
    ...['knowledgeBaseId=', 'documentId=', 'limit=', 'cursor=', 'size=', 'signature=', '__proto__'],
  ),
  maxLength: 12,
});

/** Changes a path. Some servers take a few of the changed paths for the same one, most paths lead nowhere. */
export const pathJunk: fc.Arbitrary<(path: string) => string> = fc.oneof(
  fc
    .constantFrom(
      '/%00',
      '/..',
      '/../',
      '/.',
      '//',
      '%',
      '/x',
      ';a=b',
      '\\',
      '%2f',
      '%E0%A4',
      '%ff',
      '/%2e%2e/',
    )
    .map((end) => (path: string) => path + end),
  fc.nat(60).map((at) => (path: string) => {
    const index = at % path.length;
    const escaped = `%${path.charCodeAt(index).toString(16)}`;
    return path.slice(0, index) + escaped + path.slice(index + 1);
  }),
  fc.tuple(fc.nat(60), fc.nat(255)).map(([at, byte]) => (path: string) => {
    const index = at % path.length;
    return `${path.slice(0, index + 1)}%${byte.toString(16).padStart(2, '0')}${path.slice(index + 1)}`;
  }),
  fc.constantFrom(
    (path: string) => path.toUpperCase(),
    (path: string) => `/${path}`,
    (path: string) => path.replaceAll('/', '//'),
    (path: string) => `/.${path}`,
    (path: string) => `http://elsewhere.example${path}`,
    (path: string) => path.slice(0, -1),
  ),
);

/** A header's value as HTTP allows it. */
const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 100,
});

const HEADER_NAMES = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-encoding',
  'cookie',
  'forwarded',
  'host',
  'if-match',
  'if-none-match',
  'origin',
  'range',
  'referer',
  'user-agent',
  'accept-language',
  'access-control-request-method',
  'connection',
  'expect',
  'idempotency-key',
  'prefer',
  'te',
  'traceparent',
  'tracestate',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-http-method-override',
  'x-request-id',
];

const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'application/json; charset="',
  'application/json;;',
  'text/plain',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  '/',
  '',
];

/** Headers that replace or join the headers of a good request. */
export const headerJunk: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...HEADER_NAMES), headerText, { maxKeys: 4 }) },
  fc.record({ 'content-type': fc.oneof(fc.constantFrom(...CONTENT_TYPES), headerText) }),
  fc.record({ 'x-api-key': headerText }),
  fc.constant({ 'transfer-encoding': 'chunked' }),
);
