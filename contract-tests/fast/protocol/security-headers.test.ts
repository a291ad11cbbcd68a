/**
 * Security headers of every kind of answer. Browsers may not guess its type, frame it, cache it or send its address on,
 * and no header names the server's software.
 */
import { expect, inject, test } from 'vitest';
import { VALID_INPUTS } from '../../../src/contract-check/planning/valid-inputs.ts';
import { type Answer, exchange, type Sent } from '../../../src/contract-check/requests/exchange.ts';
import { OPERATION_IDS, ROUTES } from '../../../src/contract-check/spec/routes.ts';
import { parseAnswer, sendBytes } from '../../harness/calls/raw-socket.ts';
import { bytesOf, importBytes, pathOf } from '../../harness/calls/uploading.ts';
import { openAccount } from '../../harness/service/opened-account.ts';

const { api, request, apiKey } = await openAccount();
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Headers' });
const ticket = await api.presignUploadUrl({ knowledgeBaseId, fileName: 'a.txt', size: 9 });
const path = pathOf(ticket.uploadUrl);

function expectSecurity({ headers }: Answer, cacheControl = 'no-store'): void {
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': cacheControl,
  });
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  for (const name of ['server', 'x-powered-by']) expect(headers).not.toHaveProperty(name);
}

test.each(OPERATION_IDS)(
  'security headers of %s, which pages of other origins cannot read',
  async (operationId) => {
    const origin = { origin: 'https://page.example' };
    const answers = [
      await request(operationId, VALID_INPUTS[operationId], origin),
      await request(operationId, 'x', origin),
      await request(operationId, 'x', { ...origin, 'x-api-key': undefined }),
    ];
    for (const answer of answers) {
      expectSecurity(answer);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
  },
);

const OTHERS: [kind: string, status: number, sent: Sent][] = [
  ['another method', 405, { method: 'DELETE', path: ROUTES.query.path }],
  ['HEAD', 405, { method: 'HEAD', path: ROUTES.getUsage.path }],
  ['an unknown path', 404, { method: 'GET', path: '/nothing' }],
  ['a target that is no URL', 400, { method: 'GET', path: 'http://[' }],
  ['a forged upload', 401, { method: 'PUT', path: '/uploads/x', body: 'a' }],
  ['an upload of another length', 422, { method: 'PUT', path, body: 'too long a note' }],
  ['an upload', 200, { method: 'PUT', path, body: 'some note' }],
  ['a forged download', 401, { method: 'GET', path: '/downloads/x' }],
  ['an upload by another method', 405, { method: 'GET', path }],
  [
    'the CORS preflight of an upload',
    204,
    {
      method: 'OPTIONS',
      path,
      headers: { origin: 'https://page.example', 'access-control-request-method': 'PUT' },
    },
  ],
  ['/livez', 200, { method: 'GET', path: '/livez' }],
  ['/', 200, { method: 'GET', path: '/' }],
  ['/readyz', 200, { method: 'GET', path: '/readyz' }],
];

test.each(OTHERS)('security headers of the answer to %s', async (_, status, sent) => {
  const answer = await exchange(inject('address'), sent);
  expect(answer.status).toBe(status);
  expectSecurity(answer);
});

test('security headers of a download, and of a part of it', async () => {
  const bytes = bytesOf('A note.');
  const document = await importBytes(api, { knowledgeBaseId, fileName: 'a.txt', bytes });
  const { downloadUrl } = await api.presignDownloadUrl(document.id);
  for (const [method, headers] of [
    ['GET', {}],
    ['HEAD', {}],
    ['GET', { range: 'bytes=0-1' }],
  ] as const) {
    const answer = await exchange(inject('address'), { method, path: pathOf(downloadUrl), headers });
    expect(answer.headers['content-security-policy']).toContain('sandbox');
    expectSecurity(answer, 'private, no-store');
  }
});

test.each(['/docs', '/docs/page.mjs', '/docs/page.css', '/docs/swagger-ui-bundle.js', '/openapi.json'])(
  'security headers of %s, which caches must revalidate',
  async (page) => {
    const get = (headers: Record<string, string>) =>
      exchange(inject('address'), { method: 'GET', path: page, headers });
    const first = await get({});
    const again = await get({ 'if-none-match': String(first.headers.etag) });
    expect([first.status, again.status]).toEqual([200, 304]);
    for (const answer of [first, again]) expectSecurity(answer, 'no-cache');
  },
);

test.each([
  ['400 MALFORMED_REQUEST', 'hello world\r\n\r\n'],
  ['431 HEADERS_TOO_LARGE', `GET /v1/getUsage HTTP/1.1\r\nx-api-key: ${apiKey}${'k'.repeat(20_000)}\r\n\r\n`],
])('security headers of %s, which is answered before a route is chosen', async (name, bytes) => {
  const answer = parseAnswer(await sendBytes(bytes));
  expect(answer.status).toBe(Number(name.slice(0, 3)));
  expectSecurity(answer);
});
