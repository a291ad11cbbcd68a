/** Fixtures for the tests of the embedded PostgreSQL: data directories, and services in processes of their own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach } from 'vitest';
import { type EmbeddedPostgres, type SocketConnection, startEmbeddedPostgres } from '../embedded-postgres.ts';
import { endOrphan } from '../postgres-pidfile.ts';

export const isRoot = process.getuid?.() === 0;

/** Debian's account `nobody`. */
export const nobody = { uid: 65_534, gid: 65_534 };

const undo: (() => Promise<void>)[] = [];
let template: string | undefined;

async function undoAll(): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}

/** Ends and deletes everything that a test has created, in reverse order. */
export function cleanUpAfterEach(): void {
  afterEach(undoAll);
  afterAll(removeTemplate);
}

/** The same, once after all tests of a file that share a server. */
export function cleanUpAfterAll(): void {
  afterAll(undoAll);
  afterAll(removeTemplate);
}

/** Creates an empty data directory that other accounts may traverse, as a service does. */
export function makeEmptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'embedded-'));
  chmodSync(directory, 0o711);
  undo.push(async () => {
    await endOrphan(clusterPath(directory), () => undefined);
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** Creates a data directory with a stopped cluster: a copy, since initdb would take most of a test's time. */
export async function makeDataDirectory(): Promise<string> {
  template ??= await makeTemplate();
  const directory = makeEmptyDirectory();
  // Unlike Node's cpSync, it keeps the owner.
  execFileSync('cp', ['-a', clusterPath(template), clusterPath(directory)]);
  return directory;
}

async function makeTemplate(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'embedded-template-'));
  const postgres = await startEmbeddedPostgres({ directory, durable: false, onLog: () => undefined });
  await postgres.stop();
  return directory;
}

function removeTemplate(): void {
  if (template) rmSync(template, { recursive: true });
  template = undefined;
}

/** Starts the embedded PostgreSQL in this process, by default without syncing to disk. */
export async function start(directory: string, durable = false): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ directory, durable, onLog: () => undefined });
  undo.push(() => postgres.stop());
  return postgres;
}

/** Starts a child that is killed after the test, if it still runs. */
export function spawnChild(
  file: string,
  args: string[],
  account: { uid?: number; gid?: number } = {},
): ChildProcess {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: '/', ...account });
  undo.push(async () => {
    if (child.exitCode === null && child.signalCode === null) await kill(child);
  });
  return child;
}

/** Starts a service in a process of its own, which prints its connection, or its error, and runs `afterwards`. */
export function startInProcess(
  directory: string,
  {
    afterwards = '',
    account = {},
    graceSeconds = 20,
  }: { afterwards?: string; account?: { uid?: number; gid?: number }; graceSeconds?: number } = {},
): ChildProcess {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('../embedded-postgres.ts', import.meta.url).href)};
    try {
      const options = ${JSON.stringify({ directory, graceSeconds })};
      const { connection } = await startEmbeddedPostgres({ ...options, onLog() {} });
      console.log(JSON.stringify(connection));
      ${afterwards}
    } catch (error) {
      console.log(error.message);
    }`;
  return spawnChild(process.execPath, ['--input-type=module', '--eval', script], account);
}

/** Returns the first output of a child. */
export async function firstOutput(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no output');
  const [chunk] = await once(child.stdout, 'data');
  return String(chunk).trim();
}

/** Returns the connection that a service of `startInProcess` has printed. */
export async function connectionOf(service: ChildProcess): Promise<SocketConnection> {
  return JSON.parse(await firstOutput(service));
}

/** Kills a child by SIGKILL, and waits until the kernel has released its resources. */
export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Returns the rows of the last statement in `sql`. */
export async function query(connection: SocketConnection, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  const result: pg.QueryResult | pg.QueryResult[] = await client.query(sql);
  await client.end();
  return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? [];
}

export const clusterPath = (directory: string): string => join(directory, 'postgres');

/** Creates a cluster directory with only these files, owned by an account that PostgreSQL accepts. */
export function makeCluster(directory: string, files: Record<string, string>): void {
  mkdirSync(clusterPath(directory), { mode: 0o700 });
  if (isRoot) chownSync(clusterPath(directory), nobody.uid, nobody.gid);
  for (const [name, text] of Object.entries(files)) writeOwned(directory, name, text);
}

/** Writes the two lock files of a server on the cluster with this `pid`; without `pid` they are empty. */
export function writeLockFiles(directory: string, pid?: number): void {
  const path = clusterPath(directory);
  const text = pid ? `${pid}\n${path}\n1700000000\n5432\n${path}\n\n  1234567         1\nready   \n` : '';
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) writeOwned(directory, name, text);
}

function writeOwned(directory: string, name: string, text: string): void {
  const path = join(clusterPath(directory), name);
  writeFileSync(path, text, { mode: 0o600 });
  const { uid, gid } = statSync(clusterPath(directory));
  if (isRoot) chownSync(path, uid, gid);
}

export const postmasterId = (directory: string): number =>
  Number.parseInt(readFileSync(join(clusterPath(directory), 'postmaster.pid'), 'utf8'), 10);

/** Returns the ids of the watch processes of the PostgreSQL in `directory`, also of earlier ones; Linux only. */
export const watchersOf = (directory: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes('knowledge-retrieval-watch') && command.includes(clusterPath(directory));
      } catch {
        return false; // The process has ended.
      }
    })
    .map(Number);

/** Whether the process is alive. A zombie, which a container without init keeps, is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
