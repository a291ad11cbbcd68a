/** A TCP link to the embedded database of a running service. Tests can cut it and restore it. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { findRunningPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';

export type DatabaseLink = {
  /** For DATABASE_URL. */
  url: string;
  /** Breaks every connection, and each new one at once: clients see a database that is down. */
  cut(): void;
  join(): void;
  close(): void;
};

/** @throws when no embedded PostgreSQL runs on the directory. */
export async function openDatabaseLink(dataDirectory: string): Promise<DatabaseLink> {
  const postgres = findRunningPostgres(dataDirectory);
  if (postgres === undefined) throw new Error(`no embedded PostgreSQL runs on ${dataDirectory}`);
  const socketPath = join(postgres.host, `.s.PGSQL.${postgres.port}`); // PostgreSQL manual, unix_socket_directories
  const clients = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const database = connect(socketPath);
    clients.add(client);
    client.on('error', () => client.destroy());
    database.on('error', () => client.destroy());
    // Ends the connection properly, or PostgreSQL would log a lost client.
    client.on('close', () => clients.delete(client) && database.end());
    client.pipe(database).pipe(client);
  });
  const cut = () => {
    isCut = true;
    for (const client of clients) client.destroy();
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `postgres://${postgres.user}:${postgres.password}@127.0.0.1:${port}/${postgres.database}`,
    cut,
    join: () => {
      isCut = false;
    },
    close: () => {
      cut();
      server.close();
    },
  };
}
