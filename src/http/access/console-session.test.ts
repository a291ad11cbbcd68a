/** A session of the console stands for its key until it ends, and only for the console's own requests. */
import { expect, test } from 'vitest';
import { createConsoleSessions, createKeyReader, isSameOrigin } from './console-session.ts';

const keyId = '0123456789abcdef01234567';
const WEEK_MS = 7 * 86_400_000;

test('what stands for a key names it, for a week', () => {
  let nowMs = 1_000_000;
  const sessions = createConsoleSessions('secret', () => nowMs);
  const token = sessions.issue(keyId);
  expect(sessions.read(token)).toMatchObject({ keyId, expiresAt: new Date(nowMs + WEEK_MS) });
  nowMs += WEEK_MS - 1_000;
  expect(sessions.read(token)).toMatchObject({ keyId });
  nowMs += 1_000;
  expect(sessions.read(token)).toBeUndefined();
});

test('each sign-in is another session', () => {
  const { issue, read } = createConsoleSessions('secret');
  const [one, other] = [read(issue(keyId)), read(issue(keyId))];
  expect(one?.sessionId).not.toBe(other?.sessionId);
});

test('nothing else stands for a key', () => {
  const { issue, read } = createConsoleSessions('secret');
  const token = issue(keyId);
  const [, , id = '', expires = '', mac = ''] = token.split('_');
  const later = `console_${keyId}_${id}_${Number(expires) + 1}_${mac}`;
  const other = `console_${keyId.replace('0', '1')}_${id}_${expires}_${mac}`;
  const [, , otherId = ''] = issue(keyId).split('_');
  const renamed = `console_${keyId}_${otherId}_${expires}_${mac}`;
  const foreign = createConsoleSessions('another').issue(keyId);
  for (const wrong of ['', 'console', token.slice(0, -1), `${token}x`, later, other, renamed, foreign])
    expect(read(wrong)).toBeUndefined();
});

test.each([
  [{ 'sec-fetch-site': 'same-origin', origin: 'https://kr.example.org', host: 'internal:8080' }, true],
  [{ 'sec-fetch-site': 'same-site', origin: 'http://kr.example.org', host: 'kr.example.org' }, false],
  [{ 'sec-fetch-site': 'cross-site', host: 'kr.example.org' }, false],
  [{ 'sec-fetch-site': 'none', host: 'kr.example.org' }, false],
  [{ origin: 'http://10.0.0.7:8080', host: '10.0.0.7:8080' }, true],
  [{ origin: 'http://10.0.0.7:3000', host: '10.0.0.7:8080' }, false],
  [{ origin: 'null', host: '10.0.0.7:8080' }, false],
  [{ host: '10.0.0.7:8080' }, true],
])('%j is from a page of the service: %s', (headers, isOurs) => expect(isSameOrigin(headers)).toBe(isOurs));

test('the cookie is read only where the console says so; the key of a header is as it is', () => {
  const keyOf = createKeyReader({ cookieName: 'session' });
  const cookie = 'other=1; session=token; session2=x';
  const same = { 'sec-fetch-site': 'same-origin', cookie } as const;
  expect(keyOf({ ...same, 'x-api-key': 'console' })).toBe('token');
  expect(keyOf({ ...same, 'x-api-key': 'kr_key' })).toBe('kr_key');
  expect(keyOf(same)).toBe('');
  expect(keyOf({ ...same, 'x-api-key': 'console', 'sec-fetch-site': 'cross-site' })).toBe('');
  expect(keyOf({ 'x-api-key': 'console' })).toBe('');
  const token = createConsoleSessions('secret').issue(keyId);
  expect(keyOf({ 'x-api-key': token }), 'outside of its cookie it is no key').toBe('');
});
