/**
 * Refuses pages of strangers where a service that only its own machine reaches would trust a browser there. Such a page
 * has a name of its own that leads to 127.0.0.1 ("DNS rebinding"), so the browser takes the service for its server.
 * Only the names in Host and Origin show it.
 */
import { isIPv4 } from 'node:net';
import type { Context } from 'koa';
import { foreignHost, foreignOrigin } from '../../terms/errors.ts';

/** `isLocal`: only the service's own machine reaches it. `baseUrl`: its public address, if it has one. */
export type OwnAddress = { isLocal: boolean; baseUrl: string | undefined };

/** Whether a host name, or an address without brackets, leads to the machine itself by its form alone (RFC 6761). */
export const isLoopbackHost = (host: string): boolean =>
  /^(?:.+\.)?localhost\.?$/i.test(host) || host === '::1' || (isIPv4(host) && host.startsWith('127.'));

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

function isOwnHost(host: string, baseUrl: string | undefined): boolean {
  const name = urlOf(`http://${host}`)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';
  return isLoopbackHost(name) || (baseUrl !== undefined && name === urlOf(baseUrl)?.hostname);
}

/**
 * Checks the Host of a request to a local service, and the Origin of any. Programs other than browsers send no Origin.
 * The scheme does not count: a proxy may end TLS.
 * @throws 403
 */
export function requireOwnAddress(context: Context, { isLocal, baseUrl }: OwnAddress): void {
  const { host = '', origin } = context.req.headers;
  if (isLocal && !isOwnHost(host, baseUrl)) throw foreignHost();
  if (origin === undefined) return;
  const page = urlOf(origin);
  const isOwn = page !== undefined && [host, baseUrl && urlOf(baseUrl)?.host].includes(page.host);
  if (!isOwn) throw foreignOrigin();
}
