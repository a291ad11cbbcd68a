/** The address at which a request has reached the service. */
import type { Context } from 'koa';

/** Hosts that URL accepts, without the quotes and braces that RFC 3986 forbids in a URI. */
const HOST = /^[\w.:[\]-]+$/;

/** The origin by the client's Host header. Where that is missing or not a host, the origin by the socket. */
export function originOf({ protocol, host, req: { socket } }: Context): string {
  const named = `${protocol}://${host}`;
  return HOST.test(host) && URL.canParse(named)
    ? new URL(named).origin
    : `http://${socket.localAddress}:${socket.localPort}`;
}
