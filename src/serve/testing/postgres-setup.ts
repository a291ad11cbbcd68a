/**
 * Provides the unit tests with a real PostgreSQL: an embedded one during the run, that of DATABASE_URL, or the Citus
 * coordinator of CITUS_URL.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { Connection } from '../../database/database.ts';
import { startEmbeddedPostgres } from '../../embedded-postgres/embedded-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    connection: Connection;
  }
}

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const url = process.env.CITUS_URL || process.env.DATABASE_URL;
  if (url) return void project.provide('connection', { connectionString: url });
  const directory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-test-'));
  const postgres = await startEmbeddedPostgres({ directory, durable: false, onLog: () => {} });
  project.provide('connection', postgres.connection);
  return async () => {
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
