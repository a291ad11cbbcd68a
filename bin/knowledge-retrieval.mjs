#!/usr/bin/env node
/** `npx knowledge-retrieval`: the command line of src/cli/cli.ts, on a Node that can run it. */
import { spawn } from 'node:child_process';
import { isNodeTooOld, ownNode } from './node-version.mjs';

/**
 * Runs this same command with another Node, forwards signals, and exits like it. The child ends when this process is
 * killed.
 */
function runBy(node) {
  const endWithThis = ['--import', new URL('end-with-npm.mjs', import.meta.url).href];
  const child = spawn(node, [...endWithThis, ...process.argv.slice(1)], { stdio: 'inherit' });
  // A terminal sends its signals to the child as well. The second signal has no effect there.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (status, signal) => {
    if (signal === null) process.exit(status);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

// npm sets this variable, also for `npx`. Without npm a server may outlive the shell that started it.
if (process.env.npm_command !== undefined) await import('./end-with-npm.mjs');

if (isNodeTooOld && ownNode !== undefined) runBy(ownNode);
else {
  await import('./require-node.mjs');
  await import('./compile-cache.mjs');
  await import('../src/cli/cli.ts');
}
