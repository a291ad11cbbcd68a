#!/usr/bin/env node
/** The command `knowledge-retrieval`: runs the command line on a Node that can run it, with the options it needs. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findOwnNode, isNodeTooOld } from './node-version.mjs';

/** The bound on a server's young objects. V8 reads it only when a process begins; `npm start` gives it at once. */
const HEAP_OPTION = '--max-semi-space-size=8';

const isServer = process.argv[2] === 'serve';
const missingOptions = isServer && !process.execArgv.includes(HEAP_OPTION) ? [HEAP_OPTION] : [];

/**
 * Runs this same command with another Node, forwards signals, and exits like it. The child ends when this process is
 * killed.
 */
function runBy(node) {
  const endWithThis = ['--import', new URL('end-with-npm.mjs', import.meta.url).href];
  const args = [...missingOptions, ...endWithThis, ...process.argv.slice(1)];
  const child = spawn(node, args, { stdio: 'inherit' });
  // A terminal sends its signals to the child as well. The second signal has no effect there.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (status, signal) => {
    if (signal === null) process.exit(status);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * Replaces this process by one with the missing options. Windows cannot do that: the server runs without them. Node 22
 * passes on no environment unless it is given, and so no settings.
 */
function restart() {
  const { execPath, execArgv, argv, env } = process;
  process.execve?.(execPath, [execPath, ...missingOptions, ...execArgv, ...argv.slice(1)], env);
}

/** Node 22 warns that its SQLite is experimental. The service only locks its data directory by it. */
function silenceSqliteWarning() {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...details) => {
    if (!String(warning).startsWith('SQLite is an experimental feature')) emitWarning(warning, ...details);
  };
}

async function run() {
  await import('./require-node.mjs');
  if (missingOptions.length > 0) restart();
  silenceSqliteWarning();
  await import('./compile-cache.mjs');
  const isCheckout = existsSync(new URL('../src/cli/cli.ts', import.meta.url));
  await import(isCheckout ? '../src/cli/cli.ts' : '../dist/src/cli/cli.js');
}

// npm sets this variable, also for `npx`. Without npm a server may outlive the shell that started it.
if (process.env.npm_command !== undefined) await import('./end-with-npm.mjs');

const ownNode = isNodeTooOld ? findOwnNode() : undefined;
if (ownNode !== undefined) runBy(ownNode);
else await run();
