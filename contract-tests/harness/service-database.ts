/** Queries the embedded database of a running service directly, for facts that no client can see. */
import pg from 'pg';
import { findRunningPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import type { RunningService } from './service-process.ts';

/** Runs `use` with a new connection, whose statements have no time limit. */
export async function withServiceDatabase<T>(
  service: RunningService,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const connection = findRunningPostgres(service.dataDirectory);
  if (connection === undefined) throw new Error('the service has no embedded PostgreSQL');
  const client = new pg.Client({ ...connection, application_name: 'benchmark' });
  client.on('error', () => {}); // a broken connection also rejects its statement
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
