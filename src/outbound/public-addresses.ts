/**
 * Which network addresses are public. Webhooks lead only to these: the service must not become a way into the network
 * in which it runs (OWASP, "Server-Side Request Forgery Prevention").
 */
import { isIP } from 'node:net';
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
