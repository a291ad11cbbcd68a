/**
 * Which addresses of strangers the service connects to: when it is given one, and at each connection. By default these
 * are the public ones: the service must not become a way into the network in which it runs (OWASP, "Server-Side Request
 * Forgery Prevention").
 */
import { lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The only IPv6 network that is public (IANA, IPv6 Global Unicast Address Assignments). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** NAT64 (RFC 6052): an IPv4 address in the last 32 bits. Networks without IPv4 reach public servers this way. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** Azure's agent: a public address that leads inside. */
const AZURE_AGENT = '168.63.129.16';

/** Whether an IP address is public. Any text that is not a plain IP address is not. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast' && address !== AZURE_AGENT;
  if (parsed.match(NAT64)) return isPublicAddress(parsed.toByteArray().slice(-4).join('.'));
  return parsed.match(GLOBAL_IPV6) && parsed.range() === 'unicast';
}

/** Time limit and tries of one question to a name server. */
const NAME_SERVER = { timeout: 2_000, tries: 2 };

/** Below 1024 only the ports of HTTP: no other service there should get requests from here. */
const isAllowedPort = (port: string): boolean => ['', '80', '443'].includes(port) || Number(port) >= 1024;

/** Returns the addresses of a name. @throws when it has none */
export type Resolve = (name: string) => Promise<string[]>;

/** Names and networks that an operator allows although they are private. Names are in lower case. */
export type PrivatePlaces = { names: ReadonlySet<string>; networks: BlockList };

/**
 * `protocols`: such as `https:`. `allowedPrivate`: the places that are allowed beside public ones. `resolve`: how the
 * addresses of a name are found; by default from the name servers.
 */
export type AddressRules = {
  protocols: readonly ('https:' | 'http:')[];
  allowedPrivate: PrivatePlaces | 'all' | 'none';
  resolve?: Resolve | undefined;
};

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

/** An address to which nothing may be sent. The message is for who has given the address. */
export class RefusedAddress extends Error {}

export const NOT_PUBLIC = 'must not lead to a private, local or reserved network';

/** The host of an address; an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Names of the machine itself, which no name server has to know (RFC 6761). */
const isLocalName = (host: string): boolean => /(^|\.)localhost\.?$/.test(host);

const isAllowedName = (name: string, { allowedPrivate }: AddressRules): boolean =>
  allowedPrivate === 'all' || (allowedPrivate !== 'none' && allowedPrivate.names.has(name.toLowerCase()));

const isInNetworks = (address: string, networks: BlockList): boolean =>
  networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Whether the service may connect to this IP address. */
const isAllowedAddress = (address: string, { allowedPrivate }: AddressRules): boolean =>
  isPublicAddress(address) ||
  allowedPrivate === 'all' ||
  (allowedPrivate !== 'none' && isInNetworks(address, allowedPrivate.networks));

/** What an address must be and have. */
const describe = (protocols: AddressRules['protocols']) =>
  protocols.includes('http:')
    ? { protocol: 'must be an http or https address', port: 'must have port 80, 443 or one from 1024 up' }
    : { protocol: 'must be an https address', port: 'must have port 443 or one from 1024 up' };

/** Why nothing may be sent to this address, whatever its name resolves to: `must …`. Undefined if it may. */
export function findAddressProblem(address: string, rules: AddressRules): string | undefined {
  const { protocols } = rules;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !protocols.some((protocol) => protocol === url.protocol))
    return describe(protocols).protocol;
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password';
  if (address.includes('#')) return 'must have no fragment';
  if (!isAllowedPort(url.port)) return describe(protocols).port;
  const host = hostOf(url);
  if (isAllowedName(host, rules)) return undefined;
  const isRefused = isLocalName(host) || (isIP(host) !== 0 && !isAllowedAddress(host, rules));
  return isRefused ? NOT_PUBLIC : undefined;
}

/** Returns the allowed addresses of a name. @throws RefusedAddress when it has only others */
export async function findAllowedAddresses(name: string, rules: AddressRules): Promise<string[]> {
  const { resolve = askNameServers } = rules;
  const addresses = (await resolve(name)).filter((address) => isAllowedAddress(address, rules));
  if (addresses.length === 0) throw new RefusedAddress(`The address ${NOT_PUBLIC}.`);
  return addresses;
}

/**
 * The look-up of a connection. It goes to an address that was checked here, so a name cannot change its addresses
 * between check and use ("DNS rebinding"). Node does not call it for an IP address.
 */
export const lookUpAllowed =
  (rules: AddressRules): LookupFunction =>
  (name, options, callback) => {
    if (isAllowedName(name, rules)) {
      lookup(name, options, callback);
      return;
    }
    findAllowedAddresses(name, rules).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all) callback(null, found);
        else callback(null, found[0]?.address ?? '', found[0]?.family);
      },
      (error) => callback(error, ''),
    );
  };
