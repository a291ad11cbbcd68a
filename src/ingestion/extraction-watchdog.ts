/**
 * A thread inside the process that reads a file: ends the process when it takes too much memory, or when its
 * server is gone. A thread, because the file may keep the main one busy for ever.
 */
import { writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { MEMORY_MAX } from './extraction-limits.ts';

/** Memory grows by about 100 MB meanwhile at worst. */
const INTERVAL_MS = 50;

/** What stands on standard error before the process ends for its memory. */
export const MEMORY_EXCEEDED = 'the memory limit is exceeded';

/** Starts the thread; `serverId` is the process that must stay the parent. Resolves once it watches. */
export async function startWatchdog(serverId: number): Promise<void> {
  const limits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 };
  const thread = new Worker(new URL(import.meta.url), {
    workerData: { serverId },
    resourceLimits: limits,
  });
  await new Promise((resolve) => thread.once('online', resolve));
  thread.unref();
}

function watch(serverId: number): void {
  if (process.ppid !== serverId) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() <= MEMORY_MAX) return;
  writeSync(process.stderr.fd, `${MEMORY_EXCEEDED}\n`);
  process.kill(process.pid, 'SIGKILL');
}

if (!isMainThread) setInterval(watch, INTERVAL_MS, workerData.serverId);
