/** A healthy deployment, in which tests of the doctor provoke single faults. */
import { expect } from 'vitest';
import type { Connection } from '../../database/connection/pool.ts';
import { createEmptyDatabase } from '../../database/testing/test-database.ts';
import { startTestService } from '../../serve/testing/test-service.ts';
import { examine } from '../doctor/doctor.ts';

/** Formats a connection as DATABASE_URL, with these `changes`. */
export function addressOf(
  connection: Connection,
  changes: { user?: string; password?: string; database?: string } = {},
): string {
  const url =
    'connectionString' in connection
      ? new URL(connection.connectionString)
      : new URL(
          `postgres://${connection.user}:${connection.password}@localhost/${connection.database}` +
            `?host=${connection.host}&port=${connection.port}`,
        );
  if (changes.user !== undefined) url.username = changes.user;
  if (changes.password !== undefined) url.password = changes.password;
  if (changes.database !== undefined) url.pathname = `/${changes.database}`;
  return url.href;
}

/** Starts a service on a database of its own; `close` ends both. */
export async function startHealthyDeployment() {
  const { connection, drop } = await createEmptyDatabase();
  const suite = await startTestService({ connection });
  const healthy: Record<string, string> = {
    DATABASE_URL: addressOf(connection),
    DATA_DIR: suite.service.config.dataDir,
    PORT: new URL(suite.address).port,
    BASE_URL: suite.address,
  };
  return {
    connection,
    service: suite.service,
    call: suite.call,
    /** Examines it with changed settings; returns `part: problem` or `warning of part: problem` for each problem. */
    async examineWith(
      changes: Record<string, string> = {},
      { server = false, files = false } = {},
    ): Promise<string[]> {
      const problems: string[] = [];
      for await (const finding of examine({ environment: { ...healthy, ...changes }, server, files })) {
        for (const { problem, remedy, isWarning } of finding.problems) {
          expect(remedy).not.toBe('');
          problems.push(`${isWarning ? 'warning of ' : ''}${finding.part}: ${problem}`);
        }
      }
      return problems;
    },
    async close(): Promise<void> {
      await suite.close();
      await drop();
    },
  };
}
