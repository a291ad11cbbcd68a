/**
 * Connects to one of several hosts of an address, as libpq does (PostgreSQL manual, 34.1.1.3): in their order, to the
 * first that has the role of `target_session_attrs`. The driver knows one host only, so each of its connections gets
 * an address with one. A pool stays at the host that it has found; when that no longer takes connections, or has
 * another role since, the pool goes on to the next.
 *
 * Why not
 * - a connection that only asks each host for its role: the session of a connection asks that anyway.
 * - back to the first host when it returns: connections to two servers at once, one of them a former primary.
 */
import pg from 'pg';
import { codeOf, reasonOf } from '../../terms/problem.ts';
import { BoundClient, clientClass } from './pg-insides.ts';

/** What a session tells about its server. */
export type ServerRole = { isStandby: boolean; isReadOnly: boolean };

/** The values of `target_session_attrs` → what a server then is. `prefer-standby` leads to no primary here. */
const ROLES: Record<string, { isWanted(role: ServerRole): boolean; otherwise: string }> = {
  any: { isWanted: () => true, otherwise: '' },
  primary: { isWanted: ({ isStandby }) => !isStandby, otherwise: 'is a standby' },
  standby: { isWanted: ({ isStandby }) => isStandby, otherwise: 'is a primary' },
  'prefer-standby': { isWanted: ({ isStandby }) => isStandby, otherwise: 'is a primary' },
  'read-write': { isWanted: ({ isReadOnly }) => !isReadOnly, otherwise: 'is read-only' },
  'read-only': { isWanted: ({ isReadOnly }) => isReadOnly, otherwise: 'takes writes' },
};

/** How long a connection to a standby is used. */
const STANDBY_LIFETIME_S = 60;

const roleOf = (address: string): string =>
  new URL(address).searchParams.get('target_session_attrs') ?? 'any';

/** A host that cannot be used, or none of them. The code is the SQLSTATE of a connection that cannot be established. */
export class HostError extends Error {
  readonly code = '08001';
}

/** PostgreSQL has no TLS at its socket: libpq ignores the parameters of TLS there, and the driver would ask for it. */
function withoutTlsOnSocket(address: string): string {
  const url = new URL(address);
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  if (!host.startsWith('/')) return address;
  for (const name of ['ssl', 'sslrootcert', 'sslcert', 'sslkey']) url.searchParams.delete(name);
  url.searchParams.set('sslmode', 'disable');
  url.searchParams.set('sslnegotiation', 'postgres');
  return url.href;
}

/** `postgres://own@localhost/d?host=a,b&port=1,2` → the same address with `a` and `1`, and with `b` and `2` */
export function addressesOf(address: string): string[] {
  const url = new URL(address);
  const hosts = url.searchParams.get('host')?.split(',') ?? [url.hostname];
  const ports = url.searchParams.get('port')?.split(',') ?? [];
  if (hosts.length === 1) return [withoutTlsOnSocket(address)];
  return hosts.map((host, i) => {
    const one = new URL(address);
    const port = ports.length === 1 ? ports[0] : ports[i];
    one.searchParams.set('host', host || 'localhost');
    if (port) one.searchParams.set('port', port);
    else one.searchParams.delete('port');
    return withoutTlsOnSocket(one.href);
  });
}

/** How a host is called in errors: `a:5433`, without user and password. */
export function nameOf(address: string): string {
  const { searchParams, hostname, port } = new URL(address);
  return `${searchParams.get('host') ?? hostname}:${searchParams.get('port') ?? (port || 5432)}`;
}

/** pg-pool's error of a request that has waited for other connections: it says nothing about the host. */
const isPoolFull = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect';

/** The hosts of a pool, each as an address of its own, and the host to which connections lead. */
type Hosts = { addresses: string[]; at: number };
const hostsOf = new WeakMap<pg.Pool, Hosts>();

/** The addresses by which connections of such pools have been opened. */
const opened = new WeakMap<pg.ClientBase, string>();

/** The address, with one host, to which `client` leads. Undefined: its pool's address. */
export const addressOfClient = (client: pg.ClientBase): string | undefined => opened.get(client);

/** Creates a pool for an address, which may name several hosts, or the role of one. Connect by `connectIn`. */
export function createPoolAt(address: string, options: pg.PoolConfig): pg.Pool {
  const addresses = addressesOf(address);
  const { searchParams } = new URL(address);
  const Base = searchParams.get('channel_binding') === 'require' ? BoundClient : pg.Client;
  if (addresses.length === 1 && !searchParams.has('target_session_attrs'))
    return new pg.Pool({ ...options, Client: Base, connectionString: addresses[0] });
  const hosts: Hosts = { addresses, at: 0 };
  const Client = clientClass(
    Base,
    () => addresses[hosts.at] as string,
    (client, at) => void opened.set(client, at),
  );
  // A standby keeps its connections when it is promoted: they are renewed, and their hosts asked again.
  const isForStandby = ROLES[roleOf(address)]?.otherwise === ROLES.standby?.otherwise;
  const pool = new pg.Pool({
    ...options,
    Client,
    ...(isForStandby && { maxLifetimeSeconds: STANDBY_LIFETIME_S }),
  });
  hostsOf.set(pool, hosts);
  return pool;
}

/** @throws if the server to which `client` leads has not the role that its address wants */
export function requireRole(client: pg.ClientBase, role: ServerRole): void {
  const address = opened.get(client);
  if (address === undefined) return;
  const wanted = ROLES[roleOf(address)];
  if (wanted?.isWanted(role) === false) throw new HostError(`it ${wanted.otherwise}`);
}

/** SQLSTATEs of time-outs that end a connection: of a transaction, and of one that waits for a statement. */
const ENDED_BY_TIMEOUT = ['25P04', '57P05'];
const TRIES_MAX = 5;

/**
 * Takes a connection of `pool`. Those of a role whose time-outs hold until our settings do are opened again: they may
 * be shorter than a moment in which this process or the database is busy.
 */
async function connectDespiteTimeouts(pool: pg.Pool): Promise<pg.PoolClient> {
  for (let tries = 1; ; tries++) {
    try {
      return await pool.connect();
    } catch (error) {
      if (!ENDED_BY_TIMEOUT.includes(codeOf(error)) || tries === TRIES_MAX) throw error;
    }
  }
}

/** Takes a connection of `pool`. @throws when no host will do, with the reason of each */
export async function connectIn(pool: pg.Pool): Promise<pg.PoolClient> {
  const hosts = hostsOf.get(pool);
  if (hosts === undefined) return await connectDespiteTimeouts(pool);
  const reasons: string[] = [];
  for (;;) {
    const { at } = hosts;
    try {
      return await connectDespiteTimeouts(pool);
    } catch (error) {
      if (isPoolFull(error) || pool.ending) throw error;
      // Another request may have gone on meanwhile.
      if (hosts.at === at) hosts.at = (at + 1) % hosts.addresses.length;
      reasons.push(`${nameOf(hosts.addresses[at] as string)}: ${reasonOf(error)}`);
      if (reasons.length === hosts.addresses.length) throw new HostError(reasons.join('; '));
    }
  }
}
