/** An attacker who controls an extraction process stays in it, as far as the system allows. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { EscapeReport, EscapeTask } from '../testing/escaping-process.ts';
import { createExtractionPool } from './extraction-pool.ts';
import { findSandbox, withTarget } from './extraction-sandbox.ts';

const program = fileURLToPath(new URL('../testing/escaping-process.ts', import.meta.url));
const isRoot = process.geteuid?.() === 0;

let directory: string;
let listeners: [tcp: Server, unix: Server];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-escape-'));
  listeners = [createServer((socket) => socket.end()), createServer((socket) => socket.end())];
  listeners[0].listen(0, '127.0.0.1');
  listeners[1].listen(join(directory, 'socket'));
  await Promise.all(listeners.map((listener) => once(listener, 'listening')));
});
afterAll(async () => {
  for (const listener of listeners) listener.close();
  await rm(directory, { recursive: true });
});

/** Lets the process try every way out. `lacks`: the limits that this system does not allow. */
async function escapeAll(): Promise<{ report: EscapeReport; lacks: string[] }> {
  const secretFile = join(directory, 'secret.sqlite');
  new DatabaseSync(secretFile).exec('CREATE TABLE IF NOT EXISTS secrets (secret TEXT)');
  const { port } = listeners[0].address() as AddressInfo; // it listens on a port
  const task: EscapeTask = {
    secretFile,
    port,
    socketPath: join(directory, 'socket'),
    serverId: process.pid,
  };
  let lacks: string[] = [];
  const pool = createExtractionPool({
    program,
    onLacks: (told) => {
      lacks = told;
    },
  });
  try {
    const file = {
      accountId: 'a',
      fileName: 'escape',
      readBytes: async () => Buffer.from(JSON.stringify(task)),
    };
    const extraction = await pool.extract(file);
    return { report: 'failure' in extraction ? JSON.parse(extraction.failure.message) : {}, lacks };
  } finally {
    pool.close();
  }
}

/** Holds on every system: Node's permission model, and what it does not cover. */
const DENIED = {
  'read a secret': 'ERR_ACCESS_DENIED',
  // If not even the directory can be entered, nothing is found.
  'read a secret as a module': expect.stringMatching(/^(ERR_ACCESS_DENIED|MODULE_NOT_FOUND)$/),
  'read a secret by SQLite': 'ERR_UNKNOWN_BUILTIN_MODULE',
  'read the environment of the server': 'ERR_ACCESS_DENIED',
  'read through a link': 'ERR_ACCESS_DENIED',
  'write a file': 'ERR_ACCESS_DENIED',
  'write a heap snapshot': 'ERR_ACCESS_DENIED',
  'write into what it was started with': 'ERR_ACCESS_DENIED',
  'start a command': 'ERR_ACCESS_DENIED',
  'start a thread without bounds': 'ERR_ACCESS_DENIED',
  'make code of a string': 'EvalError',
  'take a binding of Node’s': 'ERR_ACCESS_DENIED',
  'load a library': 'ERR_DLOPEN_DISABLED',
  'open a debugger here': 'ERR_ACCESS_DENIED',
  'signal the server': 'TypeError',
  'open a debugger in the server': 'TypeError',
  'slow the server down': 'TypeError',
  environment: '',
};
const NETWORK = ['connect by TCP', 'fetch a page', 'send a packet'];

test('it reaches no file, process, code or user, and no network where the system allows that', async () => {
  const { report, lacks } = await escapeAll();
  expect(report).toMatchObject(DENIED);
  expect(report['become root']).toMatch(/^(EPERM|EINVAL)$/);
  const hasNetwork = lacks.some((lack) => lack.includes('network'));
  for (const way of NETWORK) expect([way, report[way] !== 'ENETUNREACH']).toEqual([way, hasNetwork]);
  // The process can reach a socket of the server's own user, but the database there asks for a password.
  const isOtherUser = isRoot && lacks.length === 0;
  expect(report['connect by a socket of Unix']).toBe(isOtherUser ? 'EACCES' : 'connected');
});

test('where the system allows less, files are extracted, and the missing limits are reported', async () => {
  vi.stubEnv('PATH', `${directory}:${process.env.PATH}`);
  for (const name of ['unshare', 'setpriv'])
    await writeFile(join(directory, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  try {
    expect((await findSandbox(program)).lacks).toEqual([
      expect.stringContaining('setpriv'),
      expect.stringContaining('unshare'),
    ]);
    expect((await escapeAll()).report).toMatchObject(DENIED);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('where node_modules is a link, the process may read what it leads to', async () => {
  const [modules, link] = [join(directory, 'modules'), join(directory, 'node_modules')];
  await mkdir(modules);
  await writeFile(join(modules, 'library.cjs'), 'module.exports = 1;');
  await symlink(modules, link);
  const run = (paths: string[]) =>
    execFileSync(
      process.execPath,
      [
        '--permission',
        ...paths.map((path) => `--allow-fs-read=${path}`),
        '-p',
        `require('${link}/library.cjs')`,
      ],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
  expect(run(withTarget(link))).toBe('1\n');
  expect(() => run([link])).toThrow();
});

test.runIf(process.platform === 'linux')(
  'the kernel ends the process first when memory runs out',
  async () => {
    const { command } = await findSandbox(program);
    const [name = '', ...args] = command(['cat', '/proc/self/oom_score_adj']);
    expect(execFileSync(name, args, { encoding: 'utf8' }).trim()).toBe('1000');
  },
);
