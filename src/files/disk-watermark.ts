/** Keeps the last part of the disk free: without space for its write-ahead log PostgreSQL stops, even for reading. */
import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { diskFull } from '../terms/errors.ts';

/**
 * No new content is stored in this reserve: sixteen segments of PostgreSQL's write-ahead log. Operations in progress
 * use it when the disk gets this full, as do charges, deletions and jobs.
 */
const RESERVED_BYTES = 256 * 1024 ** 2;

/**
 * The free space is measured again after this time. A measurement takes as long as the insertion of a short text. The
 * reserve is far more than a disk writes in this time.
 */
const MEASURED_FOR_MS = 50;

/** Interval at which a waiting import checks the disk again. */
const POLL_INTERVAL_MS = 1_000;

/** Bytes announced but not yet on the disk. */
export type ExpectedBytes = {
  /** Reports that this many more bytes are on the disk. */
  arrived(bytes: number): void;
  /** Reports that no more bytes will come. */
  end(): void;
};

export type DiskWatermark = {
  /** @throws SERVICE_UNAVAILABLE when `bytes` more, with all expected ones, would reach into the reserve */
  require(bytes: number): Promise<void>;
  /** Reserves space for `bytes` until they arrive, or `end` is called. @throws as `require` */
  expect(bytes: number): Promise<ExpectedBytes>;
  /** Resolves when the reserve is free; rejects when `signal` aborts. */
  untilFree(signal: AbortSignal): Promise<void>;
};

/** Creates the watermark of the disk with `directory`; undefined: the service stores nothing on this machine. */
export function createDiskWatermark(directory: string | undefined): DiskWatermark {
  let expectedBytes = 0;
  let measured: { atMs: number; freeBytes: Promise<number> } | undefined;
  const measure = (measuredDirectory: string): Promise<number> => {
    const atMs = performance.now();
    if (measured === undefined || atMs - measured.atMs >= MEASURED_FOR_MS) {
      const freeBytes = statfs(measuredDirectory).then(({ bavail, bsize }) => bavail * bsize);
      measured = { atMs, freeBytes };
    }
    return measured.freeBytes;
  };
  const hasRoomFor = async (bytes: number): Promise<boolean> =>
    directory === undefined || (await measure(directory)) >= RESERVED_BYTES + bytes;
  return {
    async require(bytes) {
      if (!(await hasRoomFor(expectedBytes + bytes))) throw diskFull();
    },
    async expect(bytes) {
      // Counted before the check of the disk, so that concurrent uploads count each other.
      expectedBytes += bytes;
      let unreleasedBytes = bytes;
      const release = (releasedBytes: number) => {
        unreleasedBytes -= releasedBytes;
        expectedBytes -= releasedBytes;
      };
      const expected = { arrived: release, end: () => release(unreleasedBytes) };
      const hasRoom = await hasRoomFor(expectedBytes).catch((error) => {
        expected.end();
        throw error;
      });
      if (hasRoom) return expected;
      expected.end();
      throw diskFull();
    },
    async untilFree(signal) {
      while (!(await hasRoomFor(0))) await delay(POLL_INTERVAL_MS, undefined, { signal });
    },
  };
}
