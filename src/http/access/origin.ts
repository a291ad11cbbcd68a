/** The address to which a client has sent its request. */
import type { Context } from 'koa';

/** Hosts that URL accepts, without the quotes and braces that RFC 3986 forbids in a URI. */
const HOST = /^[\w.:[\]-]+$/;

/** The origin from the Host header. Where that is missing or invalid, the origin from the socket. */
export function originOf({ protocol, host, req: { socket } }: Context): string {
  const named = `${protocol}://${host}`;
  return HOST.test(host) && URL.canParse(named)
    ? new URL(named).origin
    : `http://${socket.localAddress}:${socket.localPort}`;
}
