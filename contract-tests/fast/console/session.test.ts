/** The console's cookie: who gets it, which requests may use it, and what ends it. */
import { expect, inject, test } from 'vitest';
import { exchange } from '../../../src/contract-check/requests/exchange.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { createKey, openAccount } from '../../harness/service/opened-account.ts';

const address = inject('address');
const { apiKey, api, name } = await openAccount();
const SAME = { 'sec-fetch-site': 'same-origin' };

const call = (method: string, path: string, headers: Record<string, string>) =>
  exchange(address, { method, path, headers });
const signIn = (key: string, headers: Record<string, string> = SAME) =>
  call('POST', '/console/session', { 'x-api-key': key, ...headers });

const { body, headers: given } = await signIn(apiKey);
const [cookie = '', ...attributes] = String(given['set-cookie']).split('; ');
const list = (headers: Record<string, string>, path = '/v1/listKnowledgeBases') =>
  call('GET', path, { cookie, 'x-api-key': 'console', ...headers });

test('a key is exchanged for a cookie that scripts and other sites cannot use', async () => {
  expect(body).toEqual({ success: true, data: { keyId: apiKey.split('_')[1], scope: 'account' } });
  expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Strict']);
  expect(cookie).not.toContain(apiKey.split('_')[2]);
  const secure = await signIn(apiKey, { ...SAME, origin: 'https://kr.example.org' });
  expect(secure.headers['set-cookie']?.[0]).toContain('; Secure');
});

test('it stands for the key: the session tells what that may do, and operations take it', async () => {
  const { id } = await api.createKnowledgeBase({ name: 'Session' });
  const answer = await list(SAME);
  expect(answer.body).toMatchObject({ success: true, data: [{ id }] });
  expect((await call('GET', '/console/session', { cookie, 'x-api-key': 'console', ...SAME })).body).toEqual(
    body,
  );
});

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another host of the site', { 'sec-fetch-site': 'same-site' }],
  ['another origin, by a browser that does not send Sec-Fetch-Site', { origin: 'http://other.example' }],
  ['a form or a link, which send no header', { ...SAME, 'x-api-key': '' }],
])('401 UNAUTHORIZED: the cookie from %s', async (_what, headers) => {
  expectRefusal(await list(headers), 401, 'UNAUTHORIZED');
});

test('401 UNAUTHORIZED: agents, whose path takes no cookie', async () => {
  const { status } = await call('POST', '/mcp', { cookie, 'x-api-key': 'console', ...SAME });
  expect(status).toBe(401);
});

test('401 UNAUTHORIZED: no session without a valid key; 403 KEY_NOT_PERMITTED: from another site', async () => {
  expectRefusal(await signIn('kr_wrong'), 401, 'UNAUTHORIZED');
  expectRefusal(await signIn('console'), 401, 'UNAUTHORIZED');
  expectRefusal(await signIn(apiKey, { 'sec-fetch-site': 'cross-site' }), 403, 'KEY_NOT_PERMITTED');
});

test('who is not signed in is told so without an error', async () => {
  const answer = await call('GET', '/console/session', { 'x-api-key': 'console', ...SAME });
  expect([answer.status, answer.body]).toEqual([200, { success: true, data: {} }]);
});

test('signing out ends the cookie, wherever it was copied to; another sign-in with the key stays', async () => {
  const again = await signIn(apiKey);
  const [copied = ''] = String(again.headers['set-cookie']).split('; ');
  const asCopy = { ...SAME, cookie: copied };
  expect((await list(asCopy)).status).toBe(200);
  const answer = await call('DELETE', '/console/session', { ...asCopy, 'x-api-key': 'console' });
  expect(answer.headers['set-cookie']?.[0]).toMatch(/^knowledge-retrieval-\w+=; .*Max-Age=0/);
  expectRefusal(await list(asCopy), 401, 'UNAUTHORIZED');
  expect((await call('GET', '/console/session', { ...asCopy, 'x-api-key': 'console' })).body).toEqual({
    success: true,
    data: {},
  });
  expect((await list(SAME)).status).toBe(200);
});

test('what a session may do is what its key may', async () => {
  const searchKey = await createKey(name, undefined, { scope: 'search' });
  const answer = await signIn(searchKey);
  expect(answer.body).toMatchObject({ data: { scope: 'search' } });
  const [searching = ''] = String(answer.headers['set-cookie']).split('; ');
  const refused = await exchange(address, {
    method: 'POST',
    path: '/v1/createKnowledgeBase',
    headers: { cookie: searching, 'x-api-key': 'console', ...SAME, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'x' }),
  });
  expectRefusal(refused, 403, 'KEY_NOT_PERMITTED');
});
