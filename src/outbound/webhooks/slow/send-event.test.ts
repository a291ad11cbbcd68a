/** One request to a receiver that may be slow, lying, redirecting, or not where its name says. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { lookUpAllowed } from '../../address-rules.ts';
import { openConnections } from '../../connections.ts';
import { type ReceiverRules, requireReceiver, toAddressRules } from '../receivers.ts';
import { sendEvent, TooLate } from '../send-event.ts';
import { createSecret, formatSecret } from '../sign.ts';
import { type Answer, startReceiver, verify } from '../testing/receiver.ts';

const secret = createSecret();
const event = {
  id: '0199f3d4-7e8f-7a0b-8c1d-2e3f4a5b6c7d',
  type: 'webhook.test',
  createdAt: new Date(),
  data: { id: 'x' },
} as const;
const ANYWHERE = { allowsPrivateReceivers: true };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function send(url: string, rules: ReceiverRules = ANYWHERE, signal = new AbortController().signal) {
  const connections = openConnections(url, 1, toAddressRules(rules));
  return await sendEvent({ url, secret }, event, { connections, signal, now: () => new Date() }).finally(
    connections.close,
  );
}

async function receiverWith(answer?: Answer) {
  const receiver = await startReceiver(answer);
  closing.push(receiver.close);
  return receiver;
}

/** A server that answers every connection by writing to it as it likes. Returns its address. */
async function rawReceiver(act: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    act(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('the receiver can verify the request, and its answer is returned', async () => {
  const receiver = await receiverWith((_, __, ___, response) => response.end('thanks'));
  const result = await send(receiver.url);
  expect(result).toMatchObject({ status: 200, error: null, answer: 'thanks' });
  const [received] = receiver.received;
  if (received === undefined) throw new Error('nothing has arrived');
  expect(verify(formatSecret(secret), received)).toEqual({
    type: event.type,
    timestamp: event.createdAt.toISOString(),
    data: event.data,
  });
  expect(received.headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json' });
});

test('a redirect is not followed', async () => {
  const inside = await receiverWith();
  const receiver = await receiverWith((_, __, ___, response) =>
    response.writeHead(307, { location: inside.url }).end(),
  );
  expect(await send(receiver.url)).toMatchObject({
    status: 307,
    error: 'The receiver answered with status 307; redirects are not followed.',
  });
  expect(inside.received).toEqual([]);
});

test('of an answer without end only the beginning is read', async () => {
  let written = 0;
  const receiver = await receiverWith((_, __, ___, response) => {
    const write = () => {
      while (!response.destroyed && response.write('é'.repeat(8_192))) written += 16_384;
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  });
  const result = await send(receiver.url);
  expect(result).toMatchObject({ status: 200, error: null });
  expect(result.answer).toBe('é'.repeat(1_000));
  expect(written).toBeLessThan(16 * 2 ** 20);
});

test('an answer that breaks off counts by its status', async () => {
  const receiver = await receiverWith((_, __, ___, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half', () => response.destroy());
  });
  expect(await send(receiver.url)).toMatchObject({ status: 200, error: null, answer: 'half' });
});

test.each([
  [
    'closes the connection',
    (socket: Socket) => socket.once('data', () => socket.end()),
    /^The connection failed/,
  ],
  [
    'closes in the middle of its headers',
    (socket: Socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-')),
    /^The connection failed/,
  ],
  ['resets', (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()), /\(ECONNRESET\)/],
  ['does not speak HTTP', (socket: Socket) => socket.write('220 mail ESMTP\r\n'), /\(HPE_INVALID_CONSTANT\)/],
  [
    'sends headers without end',
    (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}`),
    /\(HPE_HEADER_OVERFLOW\)/,
  ],
  [
    'switches the protocol',
    (socket: Socket) =>
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      ),
    /^The connection failed/,
  ],
])('a receiver that %s has failed', async (_, act, error) => {
  const result = await send(await rawReceiver(act));
  expect(result).toMatchObject({ status: null, error: expect.stringMatching(error), answer: undefined });
});

test('nothing listens there', async () => {
  const receiver = await startReceiver();
  await receiver.close();
  expect(await send(receiver.url)).toMatchObject({
    status: null,
    error: 'The connection failed (ECONNREFUSED).',
  });
});

test('a server that was paused while it connected sends nothing', async () => {
  const { url, received } = await receiverWith();
  const connections = openConnections(url, 1, toAddressRules(ANYWHERE));
  const options = { connections, signal: new AbortController().signal, now: () => new Date() };
  const send = (latestAtMs: number) => sendEvent({ url, secret }, event, { ...options, latestAtMs });
  try {
    await expect(send(performance.now() - 1)).rejects.toThrow(TooLate);
    expect(received).toEqual([]);
    expect(await send(performance.now() + 10_000)).toMatchObject({ status: 204 });
    // Over the kept connection.
    await expect(send(performance.now() - 1)).rejects.toThrow(TooLate);
    expect(received).toHaveLength(1);
  } finally {
    connections.close();
  }
});

/** The time-out of ten seconds, and two more, in half seconds of this event loop, which delays all its timers alike. */
const ANSWER_MAX_TICKS = 24;

/** Counts half seconds from now on. */
function countTicks(): () => number {
  let count = 0;
  const timer = setInterval(() => count++, 500);
  closing.push(async () => clearInterval(timer));
  return () => count;
}

test('a receiver has ten seconds, also when it sends a byte now and then', async () => {
  const silent = await rawReceiver(() => {});
  const dripping = await rawReceiver((socket) => {
    const timer = setInterval(() => socket.write('H'), 500);
    socket.write('HTTP/1.1 200 OK\r\nx-filler: ');
    socket.once('close', () => clearInterval(timer));
  });
  const informing = await rawReceiver((socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 500);
    socket.once('close', () => clearInterval(timer));
  });
  const ticks = countTicks();
  for (const result of await Promise.all([silent, dripping, informing].map((url) => send(url))))
    expect(result.error).toBe('The receiver did not answer within 10 seconds.');
  expect(ticks()).toBeLessThan(ANSWER_MAX_TICKS);
});

test('the body of an answer has no more time than the answer', async () => {
  const url = await rawReceiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf');
  });
  const ticks = countTicks();
  expect(await send(url)).toMatchObject({ status: 200, error: null, answer: 'half' });
  expect(ticks()).toBeLessThan(ANSWER_MAX_TICKS);
});

test("the caller's signal ends the request with its reason", async () => {
  const controller = new AbortController();
  const url = await rawReceiver(() => controller.abort(new Error('the server stops')));
  await expect(send(url, ANYWHERE, controller.signal)).rejects.toThrow('the server stops');
});

const NOT_PUBLIC = 'The address must not lead to a private, local or reserved network.';

test('a name that leads inside at the moment of sending gets nothing, although it was public before', async () => {
  const inside = await receiverWith();
  const { port } = new URL(inside.url);
  const url = `https://rebinding.example.com:${port}/`;
  let addresses = ['93.184.215.14'];
  const rules = { allowsPrivateReceivers: false, resolve: async () => addresses };
  await requireReceiver(url, rules);
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254']) {
    addresses = [address];
    expect(await send(url, rules)).toMatchObject({ status: null, error: NOT_PUBLIC });
  }
  expect(inside.open.most).toBe(0);
});

test('a connection goes only to the public ones of several addresses', async () => {
  const resolve = async () => ['10.0.0.1', '93.184.215.14', '::1', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'];
  const lookUp = promisify(lookUpAllowed(toAddressRules({ allowsPrivateReceivers: false, resolve })));
  expect(await lookUp('mixed.example.com', { all: true })).toEqual([
    { address: '93.184.215.14', family: 4 },
    { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 },
  ]);
});

test('an address inside gets nothing after the setting was changed', async () => {
  const inside = await receiverWith();
  const { port } = new URL(inside.url);
  for (const url of [`https://127.0.0.1:${port}/`, `https://[::1]:${port}/`, `https://localhost:${port}/`])
    expect(await send(url, { allowsPrivateReceivers: false })).toMatchObject({
      status: null,
      error: NOT_PUBLIC,
    });
  expect(await send(inside.url, { allowsPrivateReceivers: false })).toMatchObject({
    error: 'The address must be an https address.',
  });
  expect(inside.open.most).toBe(0);
});
