/**
 * Provides the unit tests with a real PostgreSQL: an embedded server during the run, the server at DATABASE_URL, or the
 * Citus coordinator at CITUS_URL. A database on it is migrated once; each file of tests gets a copy.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { Connection } from '../../database/connection/pool.ts';
import { createTemplateOn } from '../../database/testing/new-database.ts';
import { startEmbeddedPostgres } from '../../embedded-postgres/embedded-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    connection: Connection;
    /** The name of the migrated database; undefined on Citus. */
    template: string | undefined;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { connection, stop } = await openServer();
  const template = await createTemplateOn(connection);
  project.provide('connection', connection);
  project.provide('template', template.name);
  return async () => {
    await template.drop();
    await stop();
  };
}

async function openServer(): Promise<{ connection: Connection; stop(): Promise<void> }> {
  const url = process.env.CITUS_URL || process.env.DATABASE_URL;
  if (url) return { connection: { connectionString: url }, stop: async () => {} };
  const directory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-test-'));
  const postgres = await startEmbeddedPostgres({ directory, durable: false, onLog: () => {} });
  const stop = async () => {
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return { connection: postgres.connection, stop };
}
