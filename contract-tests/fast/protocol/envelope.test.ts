/** The envelope of answers to unknown paths and wrong methods, and the `x-request-id` of every answer. */
import { expect, inject, test } from 'vitest';
import { exchange } from '../../../src/contract-check/requests/exchange.ts';
import { OPERATION_IDS, ROUTES } from '../../../src/contract-check/spec/routes.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { requestRoute } from '../../harness/calls/request-route.ts';
import { openAccount } from '../../harness/service/opened-account.ts';

const { apiKey, request } = await openAccount();

const UNKNOWN_PATHS = [
  '/console',
  '/console/',
  '/v1',
  '/v1/',
  '/v2/query',
  '/query',
  '/v1/Query',
  '/v1/query/x',
  '//v1/query',
  '/v1/../v1/nothing',
  '/v1/%71uery%00',
  '/v1/%E0%A4%A',
  '/v1/__proto__',
  '/v1/constructor',
  '/uploads',
  '/uploads/',
  '/uploads/a/b',
  '/uploads/a/',
  '/Uploads/a',
  '/favicon.ico',
  '/robots.txt',
  '/.env',
  '/openapi.yaml/../../package.json',
  '*',
  `/${'a'.repeat(8000)}`,
];

test.each(UNKNOWN_PATHS)(
  '404 NOT_FOUND: the path %s, by any method, with a key and without',
  async (path) => {
    for (const headers of [{}, { 'x-api-key': apiKey }]) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
        expectRefusal(await requestRoute({ method, path, headers }), 404, 'NOT_FOUND');
      }
    }
  },
);

const OTHER_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];

test.each(OPERATION_IDS)(
  '405 METHOD_NOT_ALLOWED: %s by any other method; Allow names the right one',
  async (operationId) => {
    const { method: right, path } = ROUTES[operationId];
    for (const method of OTHER_METHODS.filter((other) => other !== right)) {
      for (const headers of [{}, { 'x-api-key': apiKey }]) {
        const answer = await requestRoute({ method, path, headers });
        expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
        expect(answer.headers.allow).toBe(right);
      }
    }
  },
);

test.each(OPERATION_IDS)('405 METHOD_NOT_ALLOWED: %s by HEAD, without a body', async (operationId) => {
  const { method, path } = ROUTES[operationId];
  const { status, headers, text } = await exchange(inject('address'), { method: 'HEAD', path });
  expect({ status, text, allow: headers.allow }).toEqual({ status: 405, text: '', allow: method });
  expect(headers['x-request-id']).toBeTruthy();
});

test.each(['/livez', '/readyz'])(
  '405 METHOD_NOT_ALLOWED: %s by any other method than GET and HEAD',
  async (path) => {
    expect((await requestRoute({ method: 'GET', path })).status).toBe(200);
    const answer = await requestRoute({ method: 'POST', path });
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.allow).toBe('GET, HEAD');
  },
);

/** Paths that exist. `/docs` is left out, since `/docs/` exists as well. */
const PATHS = [
  ...OPERATION_IDS.map((id) => ROUTES[id].path),
  '/livez',
  '/readyz',
  '/openapi.json',
  '/docs/page.css',
];

test.each([
  ['a slash after it', (path: string) => `${path}/`],
  ['two slashes after it', (path: string) => `${path}//`],
  ['a second slash before it', (path: string) => `/${path}`],
  ['capitals', (path: string) => path.toUpperCase()],
  [
    'an escaped letter',
    (path: string) => path.replace(/\w$/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  ],
])('404 NOT_FOUND: a path with %s does not exist', async (_how, misspell) => {
  for (const path of PATHS.map(misspell)) {
    for (const method of ['GET', 'POST']) {
      const answer = await requestRoute({ method, path, headers: { 'x-api-key': apiKey } });
      expectRefusal(answer, 404, 'NOT_FOUND');
    }
  }
});

test.each([
  ['/v1/qurey', '; did you mean /v1/query?'],
  ['/v1/QUERY', '; did you mean /v1/query?'],
  ['/query', '; did you mean /v1/query?'],
  ['/v1/listDocument/', '; did you mean /v1/listDocuments?'],
  ['/favicon.ico', '.'],
  ['/v1', '.'],
])('the error of %s names the path that is probably meant', async (path, end) => {
  const { body } = await requestRoute({ method: 'GET', path });
  expect(body).toMatchObject({ message: `No operation has this path${end}` });
});

test('every answer has an x-request-id: the one of the client if it is legal, otherwise a new one', async () => {
  const idOf = async (id?: string) =>
    (await request('getUsage', undefined, id === undefined ? {} : { 'x-request-id': id })).headers[
      'x-request-id'
    ];
  const ids = await Promise.all(Array.from({ length: 10 }, () => idOf()));
  expect(new Set(ids).size).toBe(10);
  for (const legal of ['a', 'trace-1:2.3_4', 'a'.repeat(128)]) expect(await idOf(legal)).toBe(legal);
  for (const illegal of ['a b', 'a'.repeat(129), '<script>', 'é', ''])
    expect(await idOf(illegal)).not.toBe(illegal);
});
