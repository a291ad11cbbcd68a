/** The address to which a client has sent its request. */
import type { Context } from 'koa';

/** Hosts that URL accepts, without the quotes and braces that RFC 3986 forbids in a URI. */
const HOST = /^[\w.:[\]-]+$/;

/** A path before the paths of the service, such as `/knowledge`. */
const PREFIX = /^(?:\/[\w.~-]+)+$/;

/** The values that a header has from several proxies, from the outermost proxy on. */
const valuesOf = (context: Context, name: string): string[] =>
  context
    .get(name)
    .split(',')
    .map((value) => value.trim());

const firstOf = (context: Context, name: string): string => valuesOf(context, name)[0] ?? '';

/** The fields of RFC 7239, each of the outermost proxy that has it: `for=…, for=…;proto=https;host=a` */
function forwardedFields(context: Context): Record<string, string> {
  const fields = valuesOf(context, 'forwarded')
    .toReversed()
    .flatMap((element) => element.split(';'));
  return Object.fromEntries(
    fields.map((field) => {
      const [name = '', value = ''] = field.split('=', 2);
      return [name.trim().toLowerCase(), value.trim().replaceAll('"', '')];
    }),
  );
}

/** What the proxies have taken off the path, one after the other: `/outer, /inner/` → `/outer/inner` */
const prefixOf = (context: Context): string =>
  valuesOf(context, 'x-forwarded-prefix')
    .map((prefix) => prefix.replace(/\/+$/, ''))
    .join('');

/** Adds the port that a proxy names apart, where the host has none. */
const withPort = (host: string, port: string): string =>
  /^\d{1,5}$/.test(port) && !/:\d+$/.test(host) ? `${host}:${port}` : host;

/**
 * The address that the headers of a proxy name, without a slash at the end; undefined: they name none, or no valid one.
 * X-Forwarded-Proto, -Host, -Port and -Prefix, as proxies send them, or Forwarded (RFC 7239).
 */
export function forwardedAddressOf(context: Context): string | undefined {
  const fields = forwardedFields(context);
  const proto = firstOf(context, 'x-forwarded-proto') || fields.proto;
  const host = firstOf(context, 'x-forwarded-host') || fields.host;
  const prefix = prefixOf(context);
  if (!proto && !host && prefix === '') return undefined;
  const named = withPort(host || context.host, firstOf(context, 'x-forwarded-port'));
  const address = `${(proto || 'http').toLowerCase()}://${named}`;
  const isValid = /^https?:/.test(address) && HOST.test(named) && URL.canParse(address);
  if (!isValid || (prefix !== '' && !PREFIX.test(prefix))) return undefined;
  return new URL(address).origin + prefix;
}

/** The origin from the Host header. Where that is missing or invalid, the origin from the socket. */
function ownOriginOf({ req: { headers, socket } }: Context): string {
  const { host = '' } = headers;
  const named = `http://${host}`;
  return HOST.test(host) && URL.canParse(named)
    ? new URL(named).origin
    : `http://${socket.localAddress}:${socket.localPort}`;
}

/** The address of the request: from the proxy's headers where they are trusted, otherwise from the Host header. */
export const originOf = (context: Context): string =>
  (context.app.proxy ? forwardedAddressOf(context) : undefined) ?? ownOriginOf(context);
