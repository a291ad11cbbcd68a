/**
 * The server answers broken and stalled requests in the envelope, and finishes running requests before it ends.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { drain, listen } from './server.ts';

const anyPort = { host: '127.0.0.1', port: 0 };

const portOf = (address: string) => Number(new URL(address).port);

test('408 REQUEST_TIMEOUT: headers that never end', async () => {
  const { server, address } = await listen(() => {}, anyPort);
  server.headersTimeout = 100;
  const socket = connect(portOf(address), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nx-slow: ');
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    success: false,
    errorCode: 'REQUEST_TIMEOUT',
    data: {},
  });
  await drain(server, 100);
});

test('invalid HTTP is refused only after the answer to the request before it', async () => {
  let answer = () => {};
  const { server, address } = await listen((_request, response) => {
    answer = () => response.end('done');
  }, anyPort);
  const socket = connect(portOf(address), '127.0.0.1');
  const refused = once(server, 'clientError');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\nno HTTP\r\n\r\n');
  await refused;
  answer();
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*done[\s\S]*HTTP\/1\.1 400 /);
  await drain(server, 100);
});

test('pipelined requests are handled one at a time, and the connection ends after 128 of them', async () => {
  let [underWay, most, answered] = [0, 0, 0];
  const { server, address } = await listen((_request, response) => {
    most = Math.max(most, ++underWay);
    setImmediate(() => {
      underWay--;
      response.end(`answer ${++answered}.`);
    });
  }, anyPort);
  const socket = connect(portOf(address), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000));
  const answers = [...(await text(socket)).matchAll(/answer (\d+)\./g)].map(([, number]) => Number(number));
  expect(answers).toEqual(Array.from({ length: 128 }, (_, i) => i + 1));
  expect(most).toBe(1);
  await drain(server, 100);
});

test('the refusal of a broken body does not wait for an answer to its own request', async () => {
  const { server, address } = await listen(() => {}, anyPort);
  const socket = connect(portOf(address), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  await drain(server, 100);
});

test('400 MALFORMED_REQUEST: a body in pieces of one byte, read or unread; pieces of a line are accepted', async () => {
  let received = 0;
  const { server, address } = await listen((request, response) => {
    if (request.url === '/unread') return;
    request.on('data', (piece) => {
      received += piece.length;
    });
    request.on('end', () => response.end('done'));
  }, anyPort);
  const send = async (path: string, piece: string) => {
    const socket = connect(portOf(address), '127.0.0.1');
    const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    socket.write(`${chunk.repeat(3_000)}0\r\n\r\n`);
    return await text(socket);
  };
  expect(await send('/unread', 'x')).toMatch(/^HTTP\/1\.1 400 [\s\S]*pieces of the body are too small/);
  expect(await send('/', 'x')).toMatch(/^HTTP\/1\.1 400 /);
  received = 0;
  expect(await send('/', 'a line of a text')).toMatch(/^HTTP\/1\.1 200 [\s\S]*done/);
  expect(received).toBe(48_000);
  await drain(server, 100);
});

test('100 Continue does not interrupt an answer that waits for an earlier answer', async () => {
  const { server, address } = await listen((_request, response) => {
    setImmediate(() => {
      response.setHeader('content-length', 4);
      response.end(Buffer.from('done'));
    });
  }, anyPort);
  const socket = connect(portOf(address), '127.0.0.1');
  const head = (line: string) => `GET / HTTP/1.1\r\nHost: x\r\n${line}\r\n\r\n`;
  socket.write(head('x-a: b') + head('Expect: 100-continue\r\nConnection: close'));
  const received = await text(socket);
  expect(received.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  expect(received).not.toMatch(/\r\n\r\nHTTP\/1\.1 100 /);
  await drain(server, 100);
});

test('the server survives a client that requests a tunnel and breaks the connection', async () => {
  const { server, address } = await listen((_request, response) => response.end('done'), anyPort);
  const socket = connect(portOf(address), '127.0.0.1');
  const asked = once(server, 'connect');
  socket.write('CONNECT a:1 HTTP/1.1\r\n\r\n');
  const [, accepted] = await asked;
  // The connection breaks before the refusal is sent.
  const closed = new Promise((resolve) => accepted.once('close', resolve));
  accepted.destroy(new Error('read ECONNRESET'));
  await closed;
  expect(await (await fetch(address)).text()).toBe('done');
  socket.destroy();
  await drain(server, 100);
});

const STALLS = { ...anyPort, stallTimeoutMs: 100 };

test('408 REQUEST_TIMEOUT: a body that stalls', async () => {
  const { server, address } = await listen((request) => void request.resume(), STALLS);
  const socket = connect(portOf(address), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 [\s\S]*REQUEST_TIMEOUT/);
  await drain(server, 100);
});

test('an unread body is no stalled one while its request waits for a permit', async () => {
  const { server, address } = await listen((request, response) => {
    setTimeout(() => request.resume().on('end', () => response.end('done')), 4 * STALLS.stallTimeoutMs);
  }, STALLS);
  // More than the kernel and Node buffer of an unread body.
  const body = new Uint8Array(16 * 1024 ** 2);
  expect(await (await fetch(address, { method: 'POST', body })).text()).toBe('done');
  const socket = connect(portOf(address), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
  await drain(server, 100);
});

test('an answer that its client does not read is cut off; a slowly computed one is not', async () => {
  const stallTimeoutMs = 1_000;
  // More than the kernel buffers for a connection.
  const large = Buffer.alloc(64 * 1024 ** 2);
  const { server, address } = await listen(
    (_request, response) => {
      setTimeout(() => response.end(large), 1.2 * stallTimeoutMs);
    },
    { ...anyPort, stallTimeoutMs },
  );
  const socket = connect(portOf(address), '127.0.0.1');
  socket.pause();
  const closed = once(server, 'connection').then(([accepted]) => once(accepted, 'close'));
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await closed;
  expect((await (await fetch(address)).arrayBuffer()).byteLength).toBe(large.length);
  socket.destroy();
  await drain(server, 100);
});

/** Blocks the event loop of client and server, like a long computation. */
const stallLoop = (forMs: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);

const ANSWER_ME = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

test('a request in time is answered, even when a blocked loop sees the idle time-out first', async () => {
  const { server, address } = await listen((_request, response) => response.end('done'), anyPort);
  Object.assign(server, { keepAliveTimeout: 500, keepAliveTimeoutBuffer: 0 });
  const socket = connect(portOf(address), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  socket.write(ANSWER_ME);
  stallLoop(700);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  await drain(server, 100);
});

test('a first request or body in time is answered, even if a blocked loop sees the time-out first', async () => {
  const late = { ...anyPort, stallTimeoutMs: 500 };
  const { server, address } = await listen((request, response) => {
    request.resume().once('end', () => response.end('done'));
  }, late);
  for (const [begin, rest] of [
    ['', ANSWER_ME],
    ['POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhalf', 'a body'],
  ] as const) {
    const socket = connect(portOf(address), '127.0.0.1');
    const reached = once(server, begin === '' ? 'connection' : 'request');
    socket.write(begin);
    await reached;
    socket.write(rest);
    stallLoop(700);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  }
  await drain(server, 100);
});

test('connections beyond the maximum are closed; slow ones are cut off to make room, used ones stay', async () => {
  const { server, address } = await listen(
    (request, response) => void request.resume().once('end', () => response.end('here')),
    { ...anyPort, maxConnections: 8 },
  );
  const open = async (begin: string) => {
    const accepted = once(server, 'connection');
    const socket = connect(portOf(address), '127.0.0.1', () => socket.write(begin));
    await accepted;
    return socket;
  };
  const used = await open('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const slow = [
    await open('GET / HTTP/1.1\r\nHost: x\r\n'),
    await open(''),
    ...(await Promise.all(
      Array.from({ length: 5 }, () => open('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n{')),
    )),
  ];
  expect(await text(connect(portOf(address), '127.0.0.1'))).toBe('');
  const use = setInterval(() => used.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), 100);
  await vi.waitFor(async () => expect(await (await fetch(address)).text()).toBe('here'), {
    timeout: 60_000,
    interval: 50,
  });
  clearInterval(use);
  const cutOff = slow.slice(0, 2).map((socket) => text(socket));
  for (const answer of await Promise.all(cutOff)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  for (const socket of slow) socket.destroy();
  expect(used.readyState).toBe('open');
  used.destroy();
  await drain(server, 100);
});

test('a drain does not wait for a connection without any request', async () => {
  const { server, address } = await listen(() => {}, anyPort);
  const accepted = once(server, 'connection');
  const socket = connect(portOf(address), '127.0.0.1');
  await accepted;
  // Longer than this test may take.
  await drain(server, 600_000);
  expect(await text(socket)).toBe('');
});

test('a drain sends Connection: close with the last answer to a packet', async () => {
  // Like all answers of the service, these are sent after the event loop iteration that reads their request.
  const { server, address } = await listen((request, response) => {
    setImmediate(() => response.end(request.url));
  }, anyPort);
  const socket = connect(portOf(address), '127.0.0.1');
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  socket.write(get('/before'));
  await once(socket, 'readable');
  const drained = drain(server, 5_000);
  // Longer than one event loop iteration, after which idle connections used to be cut off.
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.write(get('/second') + get('/last'));
  const answers = (await text(socket)).split('HTTP/1.1 200 ').slice(1);
  expect(answers.map((answer) => /Connection: [\w-]+/.exec(answer)?.[0])).toEqual([
    'Connection: keep-alive',
    'Connection: keep-alive',
    'Connection: close',
  ]);
  expect(answers.at(-1)).toMatch(/\/last$|\/last\r\n/);
  await drained;
});

test('a drain finishes the running request and refuses new connections', async () => {
  let answer = () => {};
  const { server, address } = await listen((_request, response) => {
    answer = () => response.end('done');
    server.emit('reached');
  }, anyPort);
  const reached = once(server as Server & { emit(event: 'reached'): boolean }, 'reached');
  const running = fetch(address);
  await reached;
  const drained = drain(server, 5_000);
  await expect(fetch(address)).rejects.toThrow();
  answer();
  expect(await (await running).text()).toBe('done');
  await drained;
});

test('a drain ends at its time-out while a request hangs', async () => {
  const { server, address } = await listen(() => void server.emit('reached'), anyPort);
  const reached = once(server, 'reached');
  const hanging = fetch(address).catch((error: Error) => error);
  await reached;
  await drain(server, 100);
  expect(await hanging).toBeInstanceOf(Error);
});
