/**
 * Connections to the server of a stranger: it may be slow, answer without end, or have a name that leads into our
 * network.
 */
import http from 'node:http';
import https from 'node:https';
import { type AddressRules, findAddressProblem, lookUpAllowed } from './address-rules.ts';

/** Connections to one server. `problem`: why nothing may be sent there, `must …`. */
export type Connections = { agent: http.Agent; isHttps: boolean; problem: string | undefined; close(): void };

/** Prepares up to `parallel` connections to the server of this address. Nothing is sent yet. */
export function openConnections(address: string, parallel: number, rules: AddressRules): Connections {
  const isHttps = new URL(address).protocol === 'https:';
  const Agent = isHttps ? https.Agent : http.Agent;
  const agent = new Agent({ keepAlive: true, maxSockets: parallel, lookup: lookUpAllowed(rules) });
  // The rules may have changed since the address was given.
  return { agent, isHttps, problem: findAddressProblem(address, rules), close: () => agent.destroy() };
}

/** A request on such a connection, not sent yet. */
export const openRequest = (
  url: URL,
  { agent, isHttps }: Connections,
  options: Pick<http.RequestOptions, 'method' | 'headers' | 'signal'>,
): http.ClientRequest => (isHttps ? https : http).request(url, { ...options, agent });

/** Calls `act` when the connection of a request is ready, TLS included. */
export function onConnected(request: http.ClientRequest, { isHttps }: Connections, act: () => void): void {
  request.on('socket', (socket) => {
    if (socket.connecting) socket.once(isHttps ? 'secureConnect' : 'connect', act);
    else act();
  });
}
