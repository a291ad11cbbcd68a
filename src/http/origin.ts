/** Where a request has reached the service. */
import type { Context } from 'koa';

/** What URL takes as a host, but without the quotes and braces that RFC 3986 forbids in a URI. */
const HOST = /^[\w.:[\]-]+$/;

/** The origin by the client's Host header; where that is missing or no host, by the socket. */
export function originOf({ protocol, host, req: { socket } }: Context): string {
  const named = `${protocol}://${host}`;
  return HOST.test(host) && URL.canParse(named)
    ? new URL(named).origin
    : `http://${socket.localAddress}:${socket.localPort}`;
}
