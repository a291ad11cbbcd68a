/** For the tests of the embedded PostgreSQL: data directories, services in processes of their own, and their remains. */
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

/** nobody of Debian: an account that is not root's. */
export const nobody = { uid: 65_534, gid: 65_534 };

const undo: (() => Promise<void>)[] = [];
let template: string | undefined;

async function undoAll(): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}

/** Ends and deletes what a test made, the last first. */
export function cleanUpAfterEach(): void {
  afterEach(undoAll);
  afterAll(removeTemplate);
}

/** The same, once for the tests of a file that share a server. */
export function cleanUpAfterAll(): void {
  afterAll(undoAll);
  afterAll(removeTemplate);
}

/** An empty data directory that others may pass, as a service's usually is. */
export function makeEmptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'embedded-'));
  chmodSync(directory, 0o711);
  undo.push(async () => {
    await endOrphan(clusterPath(directory), () => undefined);
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** A data directory with a stopped cluster: a copy, as initdb would take most of a test's time. */
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

/** Starts it in this process, by default without waiting for the disk. */
export async function start(directory: string, durable = false): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ directory, durable, onLog: () => undefined });
  undo.push(() => postgres.stop());
  return postgres;
}

/** A child that is killed after the test at the latest. */
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

/** A service in a process of its own; it prints its connection, or why it has none, and runs `afterwards`. */
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
      const { connection } = await startEmbeddedPostgres({ ...${JSON.stringify({ directory, graceSeconds })}, onLog() {} });
      console.log(JSON.stringify(connection));
      ${afterwards}
    } catch (error) {
      console.log(error.message);
    }`;
  return spawnChild(process.execPath, ['--input-type=module', '--eval', script], account);
}

/** What a child printed first. */
export async function firstOutput(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no output');
  const [chunk] = await once(child.stdout, 'data');
  return String(chunk).trim();
}

/** Of a service in a process of its own. */
export async function connectionOf(service: ChildProcess): Promise<SocketConnection> {
  return JSON.parse(await firstOutput(service));
}

/** SIGKILL, and the wait until the kernel has freed what the child held. */
export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Rows of the last statement in `sql`. */
export async function query(connection: SocketConnection, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  const result: pg.QueryResult | pg.QueryResult[] = await client.query(sql);
  await client.end();
  return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? [];
}

export const clusterPath = (directory: string): string => join(directory, 'postgres');

/** A cluster directory with just these files, of an account that PostgreSQL runs as. */
export function makeCluster(directory: string, files: Record<string, string>): void {
  mkdirSync(clusterPath(directory), { mode: 0o700 });
  if (isRoot) chownSync(clusterPath(directory), nobody.uid, nobody.gid);
  for (const [name, text] of Object.entries(files)) writeOwned(directory, name, text);
}

/** Writes the two files by which PostgreSQL knows of another server on the cluster, empty for no `pid`. */
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

/** The processes that watch over the PostgreSQL of `directory`, or watched over an earlier one; Linux only. */
export const watchersOf = (directory: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes('knowledge-retrieval-watch') && command.includes(clusterPath(directory));
      } catch {
        return false; // It has ended.
      }
    })
    .map(Number);

/** Whether the process lives; a zombie, which a container without init keeps, does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
