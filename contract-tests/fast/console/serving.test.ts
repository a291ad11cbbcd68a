/** The console's files: what `/` answers to people and programs, caching, size, and security headers. */
import { expect, inject, test } from 'vitest';
import { exchange } from '../../../src/contract-check/requests/exchange.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { requestRoute } from '../../harness/calls/request-route.ts';

const address = inject('address');
const get = (path: string, headers = {}) => exchange(address, { method: 'GET', path, headers });

/** What browsers send for a page. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8' };

const { text: html, headers: pageHeaders } = await get('/', BROWSER);
const files = [...html.matchAll(/(?:href|src)="(console\/[^"]+)"/g)].map(([, file = '']) => `/${file}`);

test('a browser gets the page, and revalidates it at each use', async () => {
  expect(html).toMatch(/^<!doctype html>/);
  expect(pageHeaders).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  expect(pageHeaders.vary).toContain('Accept');
  const again = await get('/', { ...BROWSER, 'if-none-match': pageHeaders.etag });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('the page may load nothing but its own files, and no other page may frame it', () => {
  const policy = String(pageHeaders['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
});

test.each([{}, { accept: '*/*' }, { accept: 'application/json' }, { accept: 'application/json, text/html' }])(
  'a program that sends %j gets the addresses of the service as JSON',
  async (headers) => {
    const { status, body } = await get('/', { ...headers, host: 'kr.example.org:81' });
    const at = 'http://kr.example.org:81';
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: {
        name: 'knowledge-retrieval',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        console: `${at}/`,
        docs: `${at}/docs`,
        openapi: `${at}/openapi.json`,
        operations: `${at}/v1`,
      },
    });
  },
);

test('script and style are sent once for ever, as their names hold their hash; the first load is small', async () => {
  expect(files.map((file) => file.replace(/-\w+/, '-HASH'))).toEqual([
    '/console/console-HASH.css',
    '/console/console-HASH.js',
  ]);
  let bytes = 0;
  for (const path of files) {
    const plain = await get(path);
    expect(plain.status).toBe(200);
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    const response = await fetch(address + path, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    bytes += Number(response.headers.get('content-length'));
    expect(await response.text()).toBe(plain.text);
  }
  expect(bytes).toBeLessThan(150_000);
});

test('404 NOT_FOUND: other names; 405 METHOD_NOT_ALLOWED: other methods', async () => {
  for (const name of ['index.html', 'main.tsx', 'console-OLDHASH1.js', '..%2fpackage.json', '__proto__'])
    expectRefusal(await requestRoute({ method: 'GET', path: `/console/${name}` }), 404, 'NOT_FOUND');
  for (const path of ['/', ...files])
    expectRefusal(await requestRoute({ method: 'POST', path }), 405, 'METHOD_NOT_ALLOWED');
});
