/** Reads the address of a service, and explains why an address with the wrong scheme gets no answer. */
import { connect } from 'node:tls';
import { InvalidArgumentError } from 'commander';
import { codeOf, reasonOf } from '../../terms/problem.ts';

/**
 * Parses an address. A path may follow, if a proxy adds one; the paths of the service itself are dropped:
 * `https://host/base/v1/` → `https://host/base`
 */
export function readAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InvalidArgumentError('An address, please, such as http://127.0.0.1:8080.');
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    throw new InvalidArgumentError('An address without user, query and fragment, please.');
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/+(v1|metrics)$/, '');
}

/** Whether a request by https got an answer in http. */
export const isAnsweredInHttp = (error: unknown): boolean => /wrong.version.number/i.test(reasonOf(error));

const TLS_TIMEOUT_MS = 2_000;

/** Whether a server begins TLS there, with any certificate. */
async function speaksTls({ hostname, port }: URL): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || 80), rejectUnauthorized: false });
  socket.setTimeout(TLS_TIMEOUT_MS, () => resolve(false));
  socket.once('secureConnect', () => resolve(true)).on('error', () => resolve(false));
  return await promise.finally(() => socket.destroy());
}

/** Nobody listens there, or the host has no address. */
const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** A sentence where the address has the wrong one of http and https; undefined: the error has another reason. */
export async function explainScheme(address: string, error: unknown): Promise<string | undefined> {
  const url = new URL(address);
  const wrong = (spoken: string, given: string) =>
    `${url.host} speaks ${spoken}, not ${given}: give ${spoken}://${url.host}.`;
  if (url.protocol === 'https:') return isAnsweredInHttp(error) ? wrong('http', 'https') : undefined;
  const { cause = error } = error as Error; // fetch wraps the error of the connection
  if (UNREACHABLE.includes(codeOf(cause)) || !(await speaksTls(url))) return undefined;
  return wrong('https', 'http');
}
