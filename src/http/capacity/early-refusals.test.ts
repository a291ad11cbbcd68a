/** A request that is refused early gets the same answer as one refused inside the application. */
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../telemetry/log.ts';
import { createTelemetry, unmetered } from '../../telemetry/telemetry.ts';
import type { RequestOutcome } from '../../telemetry/tracing.ts';
import { overloaded } from '../../terms/errors.ts';
import { keyOfHeader } from '../access/console-session.ts';
import { createApp } from '../app.ts';
import { drain, listen } from '../server/server.ts';
import type { Admission } from './admission.ts';
import { refuseEarly } from './early-refusals.ts';

const ORIGIN = 'https://app.example.org';
const STRANGER = 'https://other.example.org';
/** Every request is refused. */
const full: Admission = {
  isFull: () => true,
  admit: () => Promise.reject(overloaded()),
  shortenWaits: () => {},
};

let server: Awaited<ReturnType<typeof listen>>;
const ended: RequestOutcome[] = [];

beforeAll(async () => {
  const unexpectedCall = () => Promise.reject(new Error('no request is admitted'));
  const handle = await createApp({
    backend: { authenticate: unexpectedCall, limitRate: unexpectedCall, answer: unexpectedCall },
    routes: { baseUrl: undefined, isLocal: true, requireReady: async () => ({}) },
    admission: full,
    log: createLog('silent'),
    telemetry: createTelemetry({ ...unmetered, requestEnded: (answered) => ended.push(answered) }),
    corsOrigins: [ORIGIN, 'https://second.example.org'],
    validateResponses: true,
  });
  server = await listen(handle, { host: '127.0.0.1', port: 0 });
});
afterAll(() => drain(server.server, 100));

const send = (path: string, init: RequestInit = {}) =>
  fetch(server.address + path, { headers: { origin: ORIGIN, 'x-request-id': 'mine' }, ...init });

/** Header fields that must be equal in both answers: all but the date, which may be of another moment. */
const fieldsOf = ({ headers }: Response) => {
  const { date, ...fields } = Object.fromEntries(headers);
  return fields;
};

test.each([
  ['that may call', ORIGIN],
  ['that may not', STRANGER],
])('a page %s gets the same 503 SERVICE_UNAVAILABLE as from the application', async (_which, origin) => {
  const init = { method: 'POST', body: '{}', headers: { origin, 'x-request-id': 'mine' } };
  const early = await send('/v1/query?a=b', init);
  // This path is no operation's, so the whole application answers it.
  const late = await send('/v1/query/', init);
  expect([early.status, fieldsOf(early)]).toEqual([late.status, fieldsOf(late)]);
  expect(await early.json()).toEqual(await late.json());
  expect(early.status).toBe(503);
  expect(fieldsOf(early)).toMatchObject({ 'x-request-id': 'mine', 'retry-after': '1', vary: 'Origin' });
  expect(ended).toContainEqual({ operation: 'refused', status: 503, seconds: 0 });
});

test('health checks and preflights are answered under overload', async () => {
  expect((await send('/livez')).status).toBe(200);
  const preflight = { origin: ORIGIN, 'access-control-request-method': 'POST' };
  expect((await send('/v1/query', { method: 'OPTIONS', headers: preflight })).status).toBe(204);
});

test('an unread body does not block the next request on its connection', async () => {
  const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
  await once(socket, 'connect');
  const body = 'x'.repeat(100_000);
  const post = (fields: string) =>
    `POST /v1/query HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${fields}\r\n${body}`;
  socket.write(post('') + post('Connection: close\r\n'));
  expect((await text(socket)).match(/HTTP\/1\.1 503 /g)).toHaveLength(2);
});

/** A request with this key whose body has not arrived yet. */
function newRequest(key: string) {
  const fields = { method: 'POST', url: '/v1/query', headers: { 'x-api-key': key } };
  const request = Object.assign(new IncomingMessage(new Socket()), fields);
  return { request, response: new ServerResponse(request) };
}

test('an unknown key is looked up first, and a valid one then counts for its account', async () => {
  const known = new Set(['known']);
  const handled: string[] = [];
  const handle = refuseEarly(({ headers }) => void handled.push(String(headers['x-api-key'])), {
    admission: { ...full, isFull: (_lane, key) => !known.has(key) },
    lookUpUnknownKey: (key) =>
      known.has(key) ? undefined : Promise.resolve(key === 'right' && known.add(key).has(key)),
    keyOf: keyOfHeader,
    paths: new Set(['/v1/query']),
    telemetry: createTelemetry(unmetered),
    log: createLog('silent'),
    corsOrigins: [],
  });
  const requests = ['made up', 'right', 'known'].map(newRequest);
  for (const { request, response } of requests) handle(request, response);
  expect(handled).toEqual(['known']);
  await vi.waitFor(() =>
    expect(requests.map(({ response }) => response.statusCode)).toEqual([503, 200, 200]),
  );
  expect(handled).toEqual(['known', 'right']);
});

test('a refusal is sent after a quarter of a second, so that repeating clients cause few refusals', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const handle = refuseEarly(() => {}, {
    admission: full,
    lookUpUnknownKey: () => undefined,
    keyOf: keyOfHeader,
    paths: new Set(['/v1/query']),
    telemetry: createTelemetry(unmetered),
    log: createLog('silent'),
    corsOrigins: [],
  });
  const { request, response } = newRequest('key');
  handle(request, response);
  vi.advanceTimersByTime(249);
  expect(response.writableEnded).toBe(false);
  vi.advanceTimersByTime(1);
  expect([response.writableEnded, response.statusCode]).toEqual([true, 503]);
});
