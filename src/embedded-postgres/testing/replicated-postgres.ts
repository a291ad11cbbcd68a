/** A primary and a streaming replica of it, for tests: both are the embedded PostgreSQL. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrograms } from '../embedded-postgres-insides.ts';
import { chooseLaunch } from '../postgres-account.ts';
import { databaseName, databaseUser, ensureCluster } from '../postgres-cluster.ts';
import { type Running, startProgram } from '../postgres-programs.ts';
import { serverArguments, socketPort } from '../postgres-settings.ts';

/** A server that a test may end and start again. */
export type TestServer = {
  /** For DATABASE_URL. */
  url: string;
  /** Statements that it has executed, by the names under which they are prepared. */
  executed: string[];
  start(): Promise<void>;
  /** SIGINT: in order. SIGQUIT: as by a crash. */
  end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>;
};

/** The settings of both. Commits are acknowledged when they are flushed, as by default. */
const SETTINGS = {
  wal_level: 'replica',
  max_wal_senders: '4',
  synchronous_commit: 'on',
  log_statement: 'all',
  // Statements that keep the replica from replaying the log are cancelled at once.
  max_standby_streaming_delay: '0',
};

const EXECUTED = /execute (\w+):/;
const READY = 'ready to accept';

/** The server of the cluster `<directory>/<name>`, which runs as its owner. */
function serverOf(cluster: string): TestServer {
  const { postgres } = findPrograms();
  const launch = chooseLaunch(cluster, postgres);
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = [...serverArguments({ cluster, socketDirectory: cluster, durable: false }), ...settings];
  const where = new URLSearchParams({ host: cluster, port: String(socketPort) });
  const executed: string[] = [];
  let running: Running | undefined;
  return {
    url: `postgres://${databaseUser}@localhost/${databaseName}?${where}`,
    executed,
    async start() {
      const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
      const onLine = (line: string) => {
        const name = EXECUTED.exec(line)?.[1];
        if (name !== undefined) executed.push(name);
        if (line.includes(READY)) resolve();
      };
      running = startProgram(launch, postgres, { args, detached: true, onLine });
      running.exited.then((reason) => reject(new Error(`PostgreSQL did not start: ${reason}`)));
      await ready;
    },
    async end(signal) {
      running?.child.kill(signal);
      await running?.exited;
    },
  };
}

/** Starts both servers. The replica begins as a copy of the primary's directory. */
export async function startReplicatedPostgres() {
  const directory = mkdtempSync(join(tmpdir(), 'replicated-'));
  chmodSync(directory, 0o711); // PostgreSQL does not run as root
  const [cluster, copy] = [join(directory, 'primary'), join(directory, 'replica')];
  const { initdb, postgres } = findPrograms();
  const launch = chooseLaunch(cluster, postgres);
  await ensureCluster({ cluster, initdb, launch, durable: false, onLog: () => {} });
  const primary = serverOf(cluster);
  // initdb has written the log of a server that has no replicas.
  await primary.start();
  await primary.end('SIGINT');
  execFileSync('cp', ['-a', cluster, copy]);
  writeFileSync(join(copy, 'standby.signal'), '');
  const source = `host=${cluster} port=${socketPort} user=${databaseUser}`;
  writeFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`, { flag: 'a' });
  const replica = serverOf(copy);
  await primary.start();
  await replica.start();
  return {
    primary,
    replica,
    async remove() {
      await Promise.all([replica.end('SIGQUIT'), primary.end('SIGQUIT')]);
      rmSync(directory, { recursive: true });
    },
  };
}
