/** A small file system for a data directory, which a test can fill. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { withEmbeddedDirectory } from '../../harness/service/service-process.ts';

const BLOCK = Buffer.alloc(64 * 1024);
const SMALLEST_BLOCK = Buffer.alloc(1024);

export type SmallDisk = {
  directory: string;
  /** Takes disk space as another program would, until `leftBytes` are left. With 0: until every write fails. */
  fill(leftBytes: number): void;
  /** Frees the space that `fill` took. */
  free(): void;
};

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** Appends blocks until `isEnough()`, or until no further block fits. */
function append(path: string, block: Buffer, isEnough: () => boolean): void {
  const file = openSync(path, 'a');
  try {
    while (!isEnough()) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error; // Node's errors of files have one
  } finally {
    closeSync(file);
  }
}

function mountSmallDisk(directory: string, sizeMebibytes: number): SmallDisk {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMebibytes}m,mode=0755`, 'tmpfs', directory], {
    stdio: 'ignore',
  });
  const filler = join(directory, 'filler');
  return {
    directory,
    fill(leftBytes) {
      for (const block of [BLOCK, SMALLEST_BLOCK])
        append(filler, block, () => leftBytes > 0 && freeBytes(directory) <= leftBytes);
    },
    free: () => rmSync(filler, { force: true }),
  };
}

/** Whether this user may mount file systems: only root on Linux. */
export async function mayMount(): Promise<boolean> {
  return await withEmbeddedDirectory(async (directory) => {
    try {
      mountSmallDisk(directory, 1);
    } catch {
      return false;
    }
    execFileSync('umount', [directory]);
    return true;
  });
}

/** Runs `use` with an empty disk of this size, and removes it afterwards. The disk takes as much memory as it holds. */
export async function withSmallDisk<T>(
  sizeMebibytes: number,
  use: (disk: SmallDisk) => Promise<T>,
): Promise<T> {
  return await withEmbeddedDirectory(async (directory) => {
    const disk = mountSmallDisk(directory, sizeMebibytes);
    try {
      return await use(disk);
    } finally {
      // Lazily, because processes of a failed test still use the disk. They are ended later.
      execFileSync('umount', ['--lazy', directory]);
    }
  });
}
