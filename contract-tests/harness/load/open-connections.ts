/** Counts a server's connections from outside, by Linux's /proc/net/tcp (proc(5)). */
import { existsSync, readFileSync } from 'node:fs';

const TABLE = '/proc/net/tcp';
/** States of a connection that its server has not closed: ESTABLISHED and CLOSE_WAIT (include/net/tcp_states.h). */
const OPEN = new Set(['01', '08']);

/** The server's open connections at this address of 127.0.0.1; 0 where they are unknown. */
export function countConnections(address: string): number {
  if (!existsSync(TABLE)) return 0;
  const port = Number(new URL(address).port).toString(16).toUpperCase().padStart(4, '0');
  const rows = readFileSync(TABLE, 'utf8').trim().split('\n').slice(1);
  return rows.filter((row) => {
    const [, local = '', , state = ''] = row.trim().split(/\s+/);
    return local.endsWith(`:${port}`) && OPEN.has(state);
  }).length;
}
