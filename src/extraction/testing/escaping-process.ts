/**
 * An extraction process under an attacker's control. It tries every known way out and returns the results.
 * Its file is JSON of an `EscapeTask`. The message of its result is JSON of an `EscapeReport`.
 */
import { execSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import os, { tmpdir } from 'node:os';
import { writeHeapSnapshot } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { readOnlyFile } from './read-only-file.ts';

/** Targets outside of the process: a file with a secret, an open port, an open socket, and the server. */
export type EscapeTask = { secretFile: string; port: number; socketPath: string; serverId: number };

/** For each way the code of its error, or its result. */
export type EscapeReport = Record<string, string>;

const { head, bytes } = await readOnlyFile();
const task = JSON.parse(bytes.toString()) as EscapeTask; // the test wrote it
const { secretFile, port, socketPath, serverId } = task;
const target = `${tmpdir()}/escaped`;
const require = createRequire(import.meta.url);
const connected = (socket: ReturnType<typeof connect>) => once(socket, 'connect').then(() => 'connected');

const WAYS: Record<string, () => unknown> = {
  'read a secret': () => readFileSync(secretFile, 'utf8'),
  'read a secret as a module': () => require(secretFile),
  'read a secret by SQLite': () =>
    new (require('node:sqlite').DatabaseSync)(secretFile).prepare('SELECT * FROM sqlite_schema').all(),
  'read the environment of the server': () => readFileSync(`/proc/${serverId}/environ`, 'utf8'),
  'read through a link': () => symlinkSync(secretFile, target),
  'write a file': () => writeFileSync(target, 'escaped'),
  'write a heap snapshot': () => writeHeapSnapshot(target),
  'write into what it was started with': () => openSync('/proc/self/fd/3', 'w'),
  'start a command': () => execSync('id'),
  'start a thread without bounds': () => new Worker('', { eval: true, execArgv: [] }),
  'make code of a string': () => new Function('return 1')(),
  'take a binding of Node’s': () => (process as unknown as { binding(of: string): unknown }).binding('fs'),
  'load a library': () => process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6'),
  'open a debugger here': () => inspector.open(0, '127.0.0.1'),
  'signal the server': () => process.kill(serverId, 0),
  'open a debugger in the server': () =>
    (process as unknown as { _debugProcess(of: number): void })._debugProcess(serverId),
  'slow the server down': () => os.setPriority(serverId, 19),
  'become root': () => process.setuid?.(0),
  'connect by TCP': () => connected(connect(port, '127.0.0.1')),
  'connect by a socket of Unix': () => connected(connect(socketPath)),
  'fetch a page': () => fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(1_000) }),
  'send a packet': () =>
    new Promise((resolve, reject) => {
      createSocket('udp4').send('x', port, '127.0.0.1', (error) => (error ? reject(error) : resolve('sent')));
    }),
};

/** The innermost cause: `fetch` wraps the network's errors. */
const codeOf = (error: unknown): string => {
  const { code, name, cause } = error as NodeJS.ErrnoException;
  return cause ? codeOf(cause) : (code ?? name);
};

const report: EscapeReport = {};
for (const [name, leave] of Object.entries(WAYS)) {
  try {
    report[name] = String((await leave()) ?? 'done');
  } catch (error) {
    report[name] = codeOf(error);
  }
}
const environment = Object.keys(process.env).filter((name) => !/^(PWD|SHLVL|_|OLDPWD)$/.test(name));
report.environment = environment.join();
const failure = { code: 'FILE_CORRUPT', message: JSON.stringify(report) };
const { number } = head;
process.stdout.write(`${JSON.stringify({ number, extraction: { type: 'txt', failure }, textBytes: 0 })}\n`);
