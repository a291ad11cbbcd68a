/** A TCP proxy that makes a link bad: slow, narrow, crumbling, cut, silent; or lets just one answer get lost. */
import { once } from 'node:events';
import { createServer, type NetConnectOpts, connect as openSocket, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What a link does to the bytes of each of its directions, for as long as it lasts. */
export type Fault = {
  /** Each packet is late by so much, give or take the jitter. */
  latencyMs?: number;
  jitterMs?: number;
  bytesPerSecond?: number;
  /** Packets of at most so many bytes. */
  sliceBytes?: number;
  /** Both ends are reset once so many bytes have come from the server. */
  resetAfterBytes?: number;
  /**
   * `black hole`: it takes all bytes and gives none on; connections last, and what they say later gets through.
   * `half-open`: so do the connections that are there when the fault begins, and never wake up again; new ones are well.
   */
  silent?: 'black hole' | 'half-open';
};

/** Where the next connection is cut: after so many bytes of its answer, or so many milliseconds after its request. */
export type Cut = { answerBytes: number } | { afterMs: number };

/** A connection on its way through the proxy. */
type Link = { client: Socket; server: Socket; isDead: boolean; answeredBytes: number };

function destroy({ client, server }: Link): void {
  client.destroy();
  server.destroy();
}

/** RST instead of FIN: what a crashed router or an impatient firewall sends. */
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

/** Gives on what comes from one side to the other, as the fault of the moment lets it through. */
async function pump([from, to]: [Socket, Socket], link: Link, faultOf: () => Fault): Promise<void> {
  for await (const bytes of from as AsyncIterable<Buffer>) {
    // no encoding is set
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
  // Of a dead connection nobody hears the end.
  if (!link.isDead && faultOf().silent === undefined) to.end();
}

/** Cuts the client off within the answer; the server is heard to its end, which is what it has answered. */
async function cutAnswer({ client, server }: Link, answerBytes: number): Promise<string> {
  const received: Buffer[] = [];
  for await (const bytes of server) {
    if (received.length === 0) client.write(bytes.subarray(0, answerBytes), () => client.destroy());
    received.push(bytes);
  }
  return Buffer.concat(received).toString();
}

/** Cuts both sides off; nobody knows how far the server has come. */
async function cutRequest(link: Link, afterMs: number): Promise<string> {
  await once(link.client, 'data');
  await delay(afterMs);
  destroy(link);
  return '';
}

/** Where the server listens: an HTTP address, or what `net` connects to. */
function toConnectOptions(target: string | NetConnectOpts): NetConnectOpts {
  if (typeof target !== 'string') return target;
  const { hostname, port } = new URL(target);
  return { host: hostname, port: Number(port) };
}

type CutNext = { cut: Cut; resolve(answered: string): void; reject(error: unknown): void };

/** Connects a client's socket with the server; both are among `links` until they are closed. */
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

/** Lets both directions through, as the fault of the moment does. */
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
  const lost = 'afterMs' in cut ? cutRequest(link, cut.afterMs) : cutAnswer(link, cut.answerBytes);
  lost.then(resolve, reject);
}

/**
 * Starts it before `target`, without a fault.
 * @returns where it listens; `setFault`; `heal`, which takes the fault away; `links`, the number of its connections; and
 * `cutNext`, which says how the next connection is cut and resolves with what the server has sent over it: for a request
 * that fits into one packet and closes its connection.
 */
export async function startFaultProxy(target: string | NetConnectOpts) {
  const links = new Set<Link>();
  let fault: Fault = {};
  let next: CutNext | undefined;

  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    const link = openLink(client, target, links);
    if (next === undefined) return forward(link, () => fault);
    cutOff(link, next);
    next = undefined;
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as { port: number }; // listening on TCP

  const setFault = (begun: Fault) => {
    fault = begun;
    if (begun.silent === 'half-open') for (const link of links) link.isDead = true;
  };
  return {
    port,
    address: `http://127.0.0.1:${port}`,
    setFault,
    heal: () => setFault({}),
    links: () => links.size,
    cutNext: (cut: Cut): Promise<string> =>
      new Promise((resolve, reject) => {
        next = { cut, resolve, reject };
      }),
    close(): void {
      proxy.close();
      for (const link of links) destroy(link);
    },
  };
}

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;
