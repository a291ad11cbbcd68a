/** A start that cannot succeed ends soon, with exit code 1 and a sentence that names the setting to change. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, inject, test, vi } from 'vitest';
import { spawnCommand } from '../../harness/service/command-line.ts';
import { databaseUrlOf } from '../../harness/service/service-database.ts';
import { environmentOf, root, withDataDirectory } from '../../harness/service/service-process.ts';

/** Runs a command that ends with 1, by default without a database. Returns what it writes to standard error. */
async function complaintsOf(command: string, settings: Record<string, string>): Promise<string> {
  const environment = environmentOf(inject('dataDirectory'), {
    DATABASE_URL: 'postgres://a@127.0.0.1:1/b',
    ...settings,
  });
  const { complaints, code } = await spawnCommand(environment, ...command.split(' '));
  expect(code).toBe(1);
  return complaints;
}

test('every command reports a misspelt setting, and does so before it needs the database', async () => {
  const warning = 'STORAGE_LIMIT is no setting and changes nothing: did you mean STORAGE_LIMIT_BYTES?';
  for (const complaints of await Promise.all(
    ['serve', 'keys list', 'backup copy'].map((command) => complaintsOf(command, { STORAGE_LIMIT: '5' })),
  ))
    expect(complaints).toContain(warning);
});

test.runIf(process.platform === 'linux')('a DATA_DIR in which nothing can be created', async () => {
  const complaints = await complaintsOf('serve', { DATA_DIR: '/proc/x', DATABASE_URL: '' });
  expect(complaints).toContain('DATA_DIR (/proc/x) cannot be used: ');
});

/** Debian's account `games`: it has a name, which initdb needs, and no processes. */
const games = { uid: 5, gid: 60 };
/** With the first, initdb fails; with the others, a server that starts ends in the middle of its work. */
const TOO_FEW_PROCESSES = [9, 25, 40];

test.runIf(process.platform === 'linux' && process.getuid?.() === 0).each(TOO_FEW_PROCESSES)(
  'a user who may have %i processes',
  async (limit) => {
    const directory = await mkdtemp(join(tmpdir(), 'few-processes-'));
    await chown(directory, games.uid, games.gid);
    const command = `ulimit -u ${limit}; exec "$0" bin/knowledge-retrieval.mjs serve`;
    const serve = promisify(execFile)('bash', ['-c', command, await realpath(process.execPath)], {
      ...games,
      cwd: root,
      env: { PATH: process.env.PATH, HOME: directory, DATA_DIR: join(directory, 'data'), PORT: '0' },
    });
    await expect(serve).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        `may have ${limit} processes and threads here, .* Let this user have more processes \\(ulimit -u`,
      ),
    });
    await rm(directory, { recursive: true });
  },
);

test('--worker together with --no-worker', async () => {
  const complaints = await complaintsOf('serve --worker --no-worker', {});
  expect(complaints).toContain('--worker and --no-worker exclude each other.');
});

test('a database that does not answer, for every command', async () => {
  const commands = ['serve', 'serve --worker', 'keys list', 'backup copy'];
  for (const complaints of await Promise.all(commands.map((command) => complaintsOf(command, {}))))
    expect(complaints).toContain('Start PostgreSQL, or set the right host and port in DATABASE_URL.');
});

test('a port that another program uses, for a server and for a worker', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number }; // listening on TCP
  const settings = { DATABASE_URL: databaseUrlOf(inject('dataDirectory')) };
  const [server, worker] = await Promise.all([
    complaintsOf('serve --no-worker', { ...settings, PORT: String(port) }),
    complaintsOf('serve --worker', { ...settings, WORKER_PORT: String(port) }),
  ]);
  const taken = `Another program listens on port ${port} of 127.0.0.1: end that one, or set another `;
  expect(server).toContain(`${taken}PORT.`);
  expect(worker).toContain(`${taken}WORKER_PORT.`);
  other.close();
});

test.skipIf(process.platform === 'win32')('SIGTERM to npm ends the service that npm started', async () => {
  await withDataDirectory(async (dataDirectory) => {
    // Without prestart, which would reinstall the dependencies while tests use them.
    const npm = spawn('npm', ['start', '--ignore-scripts'], {
      cwd: root,
      env: environmentOf(dataDirectory),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    for await (const line of createInterface(npm.stdout)) if (line.includes('answers at')) break;
    npm.kill('SIGTERM');
    // The service removes this file last.
    const pidFile = join(dataDirectory, 'service.pid');
    await vi.waitUntil(() => !existsSync(pidFile), { timeout: 60_000 });
  });
});
