/**
 * A file that only takes space: it is given up when the disk is full, so that PostgreSQL can recover and answer.
 *
 * The service itself leaves the last part of the disk free (disk-watermark.ts), but other programs may fill it. Then
 * PostgreSQL ends when its write-ahead log needs another segment, even for a charge, and its recovery needs one too: it
 * would end again and again, and answer nothing, for as long as the disk is full. With the room of a few segments it
 * recovers; and since each recovery ends with a checkpoint, it then uses its segments again, and needs no others. It is
 * also given up when new connections cannot begin.
 */
import { randomFillSync } from 'node:crypto';
import { chownSync, existsSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './postgres-programs.ts';

const MEBIBYTE = 2 ** 20;
/** Four segments of PostgreSQL's write-ahead log. */
const BALLAST_MEBIBYTES = 64;
/** The ballast is made while this much is free beside it: more than the reserve in which nothing new is stored. */
const FREE_MIN_BYTES = 512 * MEBIBYTE;
/** Interval between looks whether there is space for it again. */
const LOOK_INTERVAL_MS = 30_000;

/** PostgreSQL's messages about a full disk, or a quota, end so (strerror(3)). */
const NO_SPACE = /No space left on device|Disk quota exceeded/;

export const isOutOfSpace = (line: string): boolean => NO_SPACE.test(line);

/**
 * Whether a connection has ended for lack of space. The next ones may end too: where a change of a catalog has removed
 * the file of its cache, each new process writes that (relcache.c, "could not write init file").
 */
export const hasLostConnection = (line: string): boolean => line.startsWith('FATAL:') && isOutOfSpace(line);

export type Ballast = {
  /** Gives its space to the disk. Returns whether it had any. */
  giveUp(): boolean;
  /** Ends the looks whether there is space for it. */
  stop(): void;
};

/** Fills a file with random bytes, since some file systems store zeros without taking space. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for (let i = 0; i < BALLAST_MEBIBYTES; i++) await file.write(randomFillSync(Buffer.alloc(MEBIBYTE)));
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Keeps a ballast in the cluster's directory. A file of another program there would be PostgreSQL's; this one's name is
 * none of PostgreSQL's. `intervalMs`, `freeMinBytes`: for tests.
 */
export function keepBallast(
  cluster: string,
  {
    owner,
    onLog,
    intervalMs = LOOK_INTERVAL_MS,
    freeMinBytes = FREE_MIN_BYTES,
  }: { owner: Account | undefined; onLog(line: string): void; intervalMs?: number; freeMinBytes?: number },
): Ballast {
  const path = join(cluster, 'knowledge-retrieval.ballast');
  const unfinished = `${path}.new`;
  let isMaking = false;
  const make = async () => {
    if (isMaking || existsSync(path)) return;
    const { bavail, bsize } = statfsSync(cluster);
    if (bavail * bsize < freeMinBytes + BALLAST_MEBIBYTES * MEBIBYTE) return;
    isMaking = true;
    try {
      await fill(unfinished);
      if (owner !== undefined) chownSync(unfinished, owner.uid, owner.gid);
      renameSync(unfinished, path);
    } catch (error) {
      rmSync(unfinished, { force: true });
      onLog(`the ballast of the database could not be made: ${error}`);
    } finally {
      isMaking = false;
    }
  };
  const timer = setInterval(() => void make().catch(() => {}), intervalMs).unref();
  return {
    giveUp() {
      if (!existsSync(path)) return false;
      rmSync(path, { force: true });
      return true;
    },
    stop: () => clearInterval(timer),
  };
}
