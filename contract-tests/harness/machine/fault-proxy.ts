/** A TCP proxy that makes a link bad: slow, narrow, fragmented, cut or silent. It can also lose a single answer. */
import { once } from 'node:events';
import { createServer, type NetConnectOpts, connect as openSocket, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The effect of a link on the bytes of each direction, until the fault changes. */
export type Fault = {
  /** Delay of each packet, plus or minus the jitter. */
  latencyMs?: number;
  jitterMs?: number;
  bytesPerSecond?: number;
  /** Maximum packet size. */
  sliceBytes?: number;
  /** Both ends are reset after this many bytes from the server. */
  resetAfterBytes?: number;
  /**
   * `black hole`: the proxy takes all bytes and forwards none. Connections last, and later bytes get through.
   * `half-open`: the connections that exist when the fault begins stay silent forever. New ones work.
   */
  silent?: 'black hole' | 'half-open';
  /** All connections are cut, new ones at once: clients see a server that is down. */
  isDown?: boolean;
};

/** Cuts the next connection after this many bytes of its answer, or this many milliseconds after its request. */
export type Cut = { answerBytes: number } | { afterMs: number };

/** A connection through the proxy. */
type Link = { client: Socket; server: Socket; isDead: boolean; answeredBytes: number };

function destroy({ client, server }: Link): void {
  client.destroy();
  server.destroy();
}

/** RST instead of FIN: crashed routers and impatient firewalls send it. */
function reset({ client, server }: Link): void {
  for (const socket of [client, server]) socket.resetAndDestroy();
}

function* slices(bytes: Buffer, size = bytes.length): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** How long these bytes take over the link. */
function delayOf(bytes: Buffer, { latencyMs = 0, jitterMs = 0, bytesPerSecond }: Fault): number {
  const jitter = jitterMs * (2 * Math.random() - 1);
  return latencyMs + jitter + (bytesPerSecond === undefined ? 0 : (1000 * bytes.length) / bytesPerSecond);
}

/** Forwards bytes from one side to the other, as the current fault allows. */
async function pump([from, to]: [Socket, Socket], link: Link, faultOf: () => Fault): Promise<void> {
  // Buffers, since no encoding is set.
  for await (const bytes of from as AsyncIterable<Buffer>) {
    for (const slice of slices(bytes, faultOf().sliceBytes)) {
      const waitMs = delayOf(slice, faultOf());
      if (waitMs > 0) await delay(waitMs);
      const { silent, resetAfterBytes = Number.POSITIVE_INFINITY } = faultOf();
      if (link.isDead || silent === 'black hole') continue;
      if (from === link.server) link.answeredBytes += slice.length;
      if (link.answeredBytes > resetAfterBytes) return reset(link);
      if (!to.write(slice)) await once(to, 'drain');
    }
  }
  // The end of a dead connection does not reach the other side.
  if (!link.isDead && faultOf().silent === undefined) to.end();
}

/** Cuts the client off within the answer. Returns the server's whole answer. */
async function cutAnswer({ client, server }: Link, answerBytes: number): Promise<string> {
  const received: Buffer[] = [];
  for await (const bytes of server) {
    if (received.length === 0) client.write(bytes.subarray(0, answerBytes), () => client.destroy());
    received.push(bytes);
  }
  return Buffer.concat(received).toString();
}

/** Cuts both sides off, at an unknown stage of the server's work. */
async function cutRequest(link: Link, afterMs: number): Promise<string> {
  await once(link.client, 'data');
  await delay(afterMs);
  destroy(link);
  return '';
}

/** The server's address: an HTTP address, or options of `net`. */
function toConnectOptions(target: string | NetConnectOpts): NetConnectOpts {
  if (typeof target !== 'string') return target;
  const { hostname, port } = new URL(target);
  return { host: hostname, port: Number(port) };
}

type CutNext = { cut: Cut; resolve(answered: string): void; reject(error: unknown): void };

/** Connects a client's socket with the server. Both are in `links` until they are closed. */
function openLink(client: Socket, target: string | NetConnectOpts, links: Set<Link>): Link {
  const server = openSocket({ ...toConnectOptions(target), allowHalfOpen: true });
  const link = { client, server, isDead: false, answeredBytes: 0 };
  links.add(link);
  for (const socket of [client, server]) {
    socket.on('error', () => destroy(link));
    socket.once('close', () => client.destroyed && server.destroyed && links.delete(link));
  }
  return link;
}

/** Forwards both directions, as the current fault allows. */
function forward(link: Link, faultOf: () => Fault): void {
  const { client, server } = link;
  const directions: [Socket, Socket][] = [
    [client, server],
    [server, client],
  ];
  for (const direction of directions) pump(direction, link, faultOf).catch(() => destroy(link));
}

function cutOff(link: Link, { cut, resolve, reject }: CutNext): void {
  link.client.on('data', (bytes) => link.server.write(bytes));
  const answered = 'afterMs' in cut ? cutRequest(link, cut.afterMs) : cutAnswer(link, cut.answerBytes);
  answered.then(resolve, reject);
}

/**
 * Starts the proxy before `target`, without a fault.
 * @returns the address where it listens; `setFault`; `heal`, which removes the fault; `links`, the number of its
 * connections; `cutNext`, which cuts the next connection and resolves with the bytes that the server sent over it.
 * `cutNext` is for a request that fits into one packet and closes its connection.
 */
export async function startFaultProxy(target: string | NetConnectOpts) {
  const links = new Set<Link>();
  let fault: Fault = {};
  let cutNext: CutNext | undefined;

  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    if (fault.isDown === true) return void client.destroy();
    const link = openLink(client, target, links);
    if (cutNext === undefined) return forward(link, () => fault);
    cutOff(link, cutNext);
    cutNext = undefined;
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as { port: number }; // listening on TCP

  const setFault = (next: Fault) => {
    fault = next;
    for (const link of links) {
      if (next.silent === 'half-open') link.isDead = true;
      if (next.isDown === true) destroy(link);
    }
  };
  return {
    port,
    address: `http://127.0.0.1:${port}`,
    setFault,
    heal: () => setFault({}),
    links: () => links.size,
    cutNext: (cut: Cut): Promise<string> =>
      new Promise((resolve, reject) => {
        cutNext = { cut, resolve, reject };
      }),
    close(): void {
      proxy.close();
      for (const link of links) destroy(link);
    },
  };
}

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;
