/** Counts a server's connections from outside, by Linux's /proc/net/tcp (proc(5)). */
import { existsSync, readFileSync } from 'node:fs';

const TABLE = '/proc/net/tcp';
/** States of a connection that its server has not closed: ESTABLISHED and CLOSE_WAIT (include/net/tcp_states.h). */
const OPEN = new Set(['01', '08']);

/** The connections to 127.0.0.1 at this address that the server still holds; 0 where that cannot be known. */
export function countConnections(address: string): number {
  if (!existsSync(TABLE)) return 0;
  const port = Number(new URL(address).port).toString(16).toUpperCase().padStart(4, '0');
  const rows = readFileSync(TABLE, 'utf8').trim().split('\n').slice(1);
  return rows.filter((row) => {
    const [, local = '', , state = ''] = row.trim().split(/\s+/);
    return local.endsWith(`:${port}`) && OPEN.has(state);
  }).length;
}
