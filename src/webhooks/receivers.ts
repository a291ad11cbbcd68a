/** Which addresses a webhook may have, at its creation and at each connection. */
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { withTimeout } from '../concurrency/timeout.ts';
import { validationFailed } from '../terms/errors.ts';
import { isPublicAddress } from './public-addresses.ts';

/** Time limit and tries of one question to a name server. */
const NAME_SERVER = { timeout: 2_000, tries: 2 };
/** How long the creation of a webhook waits for the addresses of its name. */
const CREATION_LOOKUP_MS = 2_000;

/** Below 1024 only the ports of HTTP: no other service there should get requests from here. */
const isAllowedPort = (port: string): boolean => ['', '80', '443'].includes(port) || Number(port) >= 1024;

/** Returns the addresses of a name. @throws when it has none */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * `allowsPrivateReceivers`: private networks and plain http are allowed. `resolve`: how the addresses of a name are
 * found; by default from the name servers.
 */
export type ReceiverRules = { allowsPrivateReceivers: boolean; resolve?: Resolve };

/**
 * Asks the name servers. Not `dns.lookup`: its four threads also do the file system's work, and a name server that does
 * not answer occupies one for many seconds. So names in /etc/hosts are unknown here.
 */
const askNameServers: Resolve = async (name) => {
  const resolver = new Resolver(NAME_SERVER);
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  throw answers[0].status === 'rejected' ? answers[0].reason : new Error('a name without addresses');
};

/** A receiver to which nothing may be sent. The message is for the webhook's owner. */
export class RefusedReceiver extends Error {}

const NOT_PUBLIC = 'must not lead to a private, local or reserved network';

/** The host of an address; an IPv6 address without its brackets. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Names of the machine itself, which no name server has to know (RFC 6761). */
const isLocalName = (host: string): boolean => /(^|\.)localhost\.?$/.test(host);

/** Why nothing may be sent to this address, whatever its name resolves to: `must …`. Undefined if it may. */
export function findAddressProblem(
  address: string,
  { allowsPrivateReceivers }: ReceiverRules,
): string | undefined {
  const protocols = allowsPrivateReceivers ? ['https:', 'http:'] : ['https:'];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !protocols.includes(url.protocol)) return 'must be an https address';
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password';
  if (address.includes('#')) return 'must have no fragment';
  if (!isAllowedPort(url.port)) return 'must have port 443 or one from 1024 up';
  const host = hostOf(url);
  const isInside = isLocalName(host) || (isIP(host) !== 0 && !isPublicAddress(host));
  return isInside && !allowsPrivateReceivers ? NOT_PUBLIC : undefined;
}

/** Returns the public addresses of a name. @throws RefusedReceiver when it has only others */
async function findPublicAddresses(
  name: string,
  { resolve = askNameServers }: ReceiverRules,
): Promise<string[]> {
  const addresses = (await resolve(name)).filter(isPublicAddress);
  if (addresses.length === 0) throw new RefusedReceiver(`The address ${NOT_PUBLIC}.`);
  return addresses;
}

/**
 * Refuses an address to which nothing may be sent. A name without addresses passes: it may get some later, and each
 * connection checks again.
 * @throws INPUT_VALIDATION_FAILED naming `url`
 */
export async function requireReceiver(address: string, rules: ReceiverRules): Promise<void> {
  const refuse = (problem: string) => validationFailed([], { url: [problem] });
  const problem = findAddressProblem(address, rules);
  if (problem !== undefined) throw refuse(problem);
  const host = hostOf(new URL(address));
  if (rules.allowsPrivateReceivers || isIP(host) !== 0) return;
  const looking = findPublicAddresses(host, rules).catch((error: unknown) => {
    if (error instanceof RefusedReceiver) throw refuse(NOT_PUBLIC);
  });
  await withTimeout(looking, CREATION_LOOKUP_MS, () => {});
}

/**
 * The look-up of a connection to a public receiver. The connection goes to an address that was checked here, so a name
 * cannot change its addresses between check and use ("DNS rebinding"). Node does not call it for an IP address.
 */
export const lookUpPublic =
  (rules: ReceiverRules): LookupFunction =>
  (name, { all }, callback) => {
    findPublicAddresses(name, rules).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) callback(null, found);
        else callback(null, found[0]?.address ?? '', found[0]?.family);
      },
      (error) => callback(error, ''),
    );
  };
