/** Keeps the last of the disk for what is stored already: PostgreSQL ends, and all reading with it, when its log finds no room. */
import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { diskFull } from '../errors.ts';

/**
 * What nothing new is stored in: sixteen segments of PostgreSQL's write-ahead log, for what is under way when the disk
 * gets there, and for the charges, deletions and jobs that go on.
 */
const RESERVED_BYTES = 256 * 1024 ** 2;

/** How soon after the operator has made room an import goes on. */
const LOOK_INTERVAL_MS = 1_000;

/** Bytes that are on their way to the disk. */
export type ExpectedBytes = {
  /** So many more are there. */
  arrived(bytes: number): void;
  /** No more will come. */
  end(): void;
};

export type DiskWatermark = {
  /** @throws SERVICE_UNAVAILABLE when `bytes` more, with all that are expected, would take from the reserve */
  require(bytes: number): Promise<void>;
  /** Keeps room for bytes until they have arrived, or will not come. @throws as `require` */
  expect(bytes: number): Promise<ExpectedBytes>;
  /** Resolves when the reserve is free; rejects when `signal` aborts. */
  untilFree(signal: AbortSignal): Promise<void>;
};

/** The room where `directory` lies; undefined: nothing of ours is stored on this machine. */
export function createDiskWatermark(directory: string | undefined): DiskWatermark {
  let expectedBytes = 0;
  const hasRoomFor = async (bytes: number): Promise<boolean> => {
    if (directory === undefined) return true;
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize >= RESERVED_BYTES + bytes;
  };
  return {
    async require(bytes) {
      if (!(await hasRoomFor(expectedBytes + bytes))) throw diskFull();
    },
    async expect(bytes) {
      // Before the look at the disk: of several that begin at once each one sees the others.
      expectedBytes += bytes;
      let leftBytes = bytes;
      const settle = (settledBytes: number) => {
        leftBytes -= settledBytes;
        expectedBytes -= settledBytes;
      };
      const expected = { arrived: settle, end: () => settle(leftBytes) };
      const hasRoom = await hasRoomFor(expectedBytes).catch((error) => {
        expected.end();
        throw error;
      });
      if (hasRoom) return expected;
      expected.end();
      throw diskFull();
    },
    async untilFree(signal) {
      while (!(await hasRoomFor(0))) await delay(LOOK_INTERVAL_MS, undefined, { signal });
    },
  };
}
