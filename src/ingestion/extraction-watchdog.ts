/**
 * A thread inside the process that reads a file: ends the process when it takes too much memory, or when its
 * server is gone. A thread, because the file may keep the main one busy for ever.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { MEMORY_MAX } from './extraction-limits.ts';

/** Memory grows by about 100 MB meanwhile at worst. */
const INTERVAL_MS = 50;

/** What stands on standard error before the process ends for its memory. */
export const MEMORY_EXCEEDED = 'the memory limit is exceeded';

/** In JavaScript, and not in a file: a thread takes 20 ms to start so, and 60 where it must strip types first. */
const WATCH = `
  const { writeSync } = require('node:fs');
  const { workerData: { serverId, memoryMax, complaint } } = require('node:worker_threads');
  setInterval(() => {
    const isTooLarge = process.memoryUsage.rss() > memoryMax;
    if (isTooLarge) writeSync(2, complaint);
    if (isTooLarge || process.ppid !== serverId) process.kill(process.pid, 'SIGKILL');
  }, ${INTERVAL_MS});`;

/** Starts the thread; `serverId` is the process that must stay the parent. Resolves once it watches. */
export async function startWatchdog(serverId: number): Promise<void> {
  const thread = new Worker(WATCH, {
    eval: true,
    workerData: { serverId, memoryMax: MEMORY_MAX, complaint: `${MEMORY_EXCEEDED}\n` },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  });
  await once(thread, 'online');
  thread.unref();
}
