/**
 * Which network addresses are public. Webhooks lead only to these: the service must not become a way into the network
 * in which it runs (OWASP, "Server-Side Request Forgery Prevention").
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Networks that are not public, or not one server's (IANA, IPv4 Special-Purpose Address Registry). */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT; 100.100.100.200 is Alibaba's metadata service
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // Azure's agent, a public address that leads inside
  ['169.254.0.0', 16], // link-local; 169.254.169.254 is the metadata service of most clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // 192.0.0.192 is Oracle's metadata service
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
] as const;

/** The only IPv6 network that is public (IANA, IPv6 Global Unicast Address Assignments) … */
const GLOBAL_IPV6 = ['2000::', 3] as const;

/** … without these: Teredo and other protocols, documentation, and 6to4, which contains IPv4 addresses. */
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

/** NAT64 (RFC 6052): an IPv4 address in the last 32 bits. Networks without IPv4 reach public servers this way. */
const NAT64 = ['64:ff9b::', 96] as const;

const listOf = (type: 'ipv4' | 'ipv6', networks: readonly (readonly [string, number])[]): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, type);
  return list;
};

const specialIpv4 = listOf('ipv4', SPECIAL_IPV4);
const specialIpv6 = listOf('ipv6', SPECIAL_IPV6);
const globalIpv6 = listOf('ipv6', [GLOBAL_IPV6]);
const nat64 = listOf('ipv6', [NAT64]);

/** The IPv4 address in the last 32 bits: `64:ff9b::7f00:1` → `127.0.0.1`. `address` has no dots. */
function embeddedIpv4(address: string): string {
  const [high = 0, low = 0] = address
    .split(':')
    .slice(-2)
    .map((group) => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** IPv6 in its one canonical spelling, without dots: `::ffff:10.0.0.1` → `::ffff:a00:1`. */
const canonical = (address: string): string => new URL(`http://[${address}]`).hostname.slice(1, -1);

/** Whether an IP address is public. Any text that is not a plain IP address is not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  if (nat64.check(address, 'ipv6')) return isPublicAddress(embeddedIpv4(canonical(address)));
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}
