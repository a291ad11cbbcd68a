#!/usr/bin/env node
/** `npx knowledge-retrieval`: the command line of src/cli.ts, on a Node that can run it. */
import { spawn } from 'node:child_process';
import { isNodeTooOld, ownNode } from './node-version.mjs';

/** Runs this same command by another Node, and ends as it does. */
function runBy(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  // A terminal sends these to the child as well.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
  child.on('exit', (status, signal) => {
    if (signal === null) process.exit(status);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (isNodeTooOld && ownNode !== undefined) runBy(ownNode);
else {
  await import('./require-node.mjs');
  await import('../src/cli.ts');
}
