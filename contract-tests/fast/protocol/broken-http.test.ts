/** Raw bytes and odd heads that are hardly HTTP. The service answers even these in the envelope. */
import { expect, test } from 'vitest';
import { requireContract } from '../../../src/contract-check/requests/answer-contract.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { parseAnswer, sendAndHangUp, sendBytes } from '../../harness/calls/raw-socket.ts';
import { openAccount } from '../../harness/service/opened-account.ts';

const { api, apiKey } = await openAccount();

/** Sends raw bytes and returns the only answer, after a check against the contract. */
async function answerTo(bytes: string) {
  const answer = parseAnswer(await sendBytes(bytes));
  requireContract(undefined, answer);
  return answer;
}

/** A request head. `Connection: close` lets the answer end with the connection. */
const head = (requestLine: string, ...headers: string[]) =>
  [requestLine, `x-api-key: ${apiKey}`, 'Connection: close', ...headers, '', ''].join('\r\n');

/** The start of a head that keeps the connection open. A header for the body's length has to follow. */
const POST_QUERY = `POST /v1/query HTTP/1.1\r\nHost: a\r\nx-api-key: ${apiKey}\r\nContent-Type: application/json\r\n`;

/** The statuses of all answers on a connection, in order. */
const statusesIn = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);

test.each([
  ['words', 'hello world\r\n\r\n'],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a made-up method', head('BREW /v1/query HTTP/1.1', 'Host: a')],
  ['a tunnel', head('CONNECT a.example:443 HTTP/1.1', 'Host: a.example')],
  ['a made-up version', head('GET /v1/getUsage HTTP/9.9', 'Host: a')],
  ['a target without a slash', head('GET v1/getUsage HTTP/1.1', 'Host: a')],
  ['a header without a name', head('GET /v1/getUsage HTTP/1.1', 'Host: a', ': b')],
  ['a header without a colon', head('GET /v1/getUsage HTTP/1.1', 'Host: a', 'nonsense')],
  ['control characters in a header', head('GET /v1/getUsage HTTP/1.1', 'Host: a', 'x-a: b\x00c')],
  ['two lengths', head('POST /v1/query HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 2')],
  [
    'a length and chunks',
    head('POST /v1/query HTTP/1.1', 'Host: a', 'Content-Length: 3', 'Transfer-Encoding: chunked'),
  ],
  ['a negative length', head('POST /v1/query HTTP/1.1', 'Host: a', 'Content-Length: -1')],
])('400 MALFORMED_REQUEST: %s', async (_, bytes) => {
  expectRefusal(await answerTo(bytes), 400, 'MALFORMED_REQUEST');
});

test('400 MALFORMED_REQUEST: broken chunks of a body', async () => {
  const headers = ['Host: a', 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
  const answer = await answerTo(`${head('POST /v1/query HTTP/1.1', ...headers)}zz\r\n`);
  expectRefusal(answer, 400, 'MALFORMED_REQUEST');
});

test.each([
  ['one header of 20,000 characters', [`x-a: ${'a'.repeat(20_000)}`]],
  ['a key of 20,000 characters', [`x-api-key: ${'k'.repeat(20_000)}`]],
  ['3,000 headers', Array.from({ length: 3000 }, (_, index) => `x-${index}: a`)],
])('431 HEADERS_TOO_LARGE: %s', async (_, headers) => {
  const answer = await answerTo(head('GET /v1/getUsage HTTP/1.1', 'Host: a', ...headers));
  expectRefusal(answer, 431, 'HEADERS_TOO_LARGE');
});

test('431 HEADERS_TOO_LARGE: an address of 100,000 characters', async () => {
  const answer = await answerTo(head(`GET /v1/${'a'.repeat(100_000)} HTTP/1.1`, 'Host: a'));
  expectRefusal(answer, 431, 'HEADERS_TOO_LARGE');
});

test('200: a request without Host, in HTTP/1.0 and 1.1, and an absolute target', async () => {
  for (const requestLine of ['GET /v1/getUsage HTTP/1.0', 'GET /v1/getUsage HTTP/1.1']) {
    expect((await answerTo(head(requestLine))).status).toBe(200);
  }
  expect((await answerTo(head('GET http://any.example/v1/getUsage HTTP/1.1', 'Host: a'))).status).toBe(200);
});

test.each(['http://[::1', 'http://a:99999/v1/getUsage', 'http://', 'http://%zz/', 'http:///v1/getUsage'])(
  'the absolute target %s causes no 5xx',
  async (target) => {
    const answer = await answerTo(head(`GET ${target} HTTP/1.1`, 'Host: a'));
    expect(answer.status, answer.text).toBeLessThan(500);
  },
);

test('an unknown Expect is answered by a 4xx in the envelope', async () => {
  const headers = ['Host: a', 'Expect: banana', 'Content-Type: application/json', 'Content-Length: 2'];
  const answer = await answerTo(`${head('POST /v1/query HTTP/1.1', ...headers)}{}`);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
});

test('422 INPUT_VALIDATION_FAILED: several requests sent at once on one connection are answered in order', async () => {
  const post = (body: string) => `${POST_QUERY}Content-Length: ${body.length}\r\n\r\n${body}`;
  const received = await sendBytes(
    `${post('{')}${post('{"query":""}')}${head('GET /v1/getUsage HTTP/1.1', 'Host: a')}`,
  );
  expect(statusesIn(received)).toEqual(['422', '422', '200']);
});

test('413 PAYLOAD_TOO_LARGE: the next request on the connection is answered after a refused body', async () => {
  const chunk = `${(400_000).toString(16)}\r\n${'x'.repeat(400_000)}\r\n`;
  const post = `${POST_QUERY}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}0\r\n\r\n`;
  const received = await sendBytes(`${post}${head('GET /v1/getUsage HTTP/1.1', 'Host: a')}`);
  expect(statusesIn(received)).toEqual(['413', '200']);
});

test('clients that hang up in the middle of a request do not harm other clients', async () => {
  const start = 'POST /v1/createKnowledgeBase HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  const beginnings = [
    'POST /v1/cre',
    `${start}x-api-key: ${apiKey}\r\nContent-Length: 100\r\n\r\n{"name":"half`,
    `${start}x-api-key: ${apiKey}\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n{"name":"half`,
    head('GET /v1/listKnowledgeBases HTTP/1.1', 'Host: a'),
  ];
  await Promise.all(Array.from({ length: 40 }, (_, index) => sendAndHangUp(beginnings[index % 4] ?? '')));
  expect(await api.getUsage()).toMatchObject({ knowledgeBaseCount: 0, storageUsed: 0 });
});
