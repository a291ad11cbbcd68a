/**
 * How many texts a request may have, at most EMBEDDINGS_BATCH (config/model-settings.ts): what a server takes is found
 * by trying, and tried anew as it goes.
 */

/**
 * Requests of one size that must succeed before a larger one is tried; each larger one that is refused doubles them.
 */
const PATIENCE = 8;
const PATIENCE_MAX = 1_024;

export type BatchSize = {
  current(): number;
  /** A request of this many texts was answered. */
  worked(count: number): void;
  /** A request of this many texts was not. Returns half of it, from now on the size. */
  halve(count: number): number;
  /** It was not the size that halved it just now: one text was to blame. */
  restore(): void;
};

/** Begins with the largest size, which is at least 1. */
export function createBatchSize(largest: number): BatchSize {
  let size = largest;
  let [worked, patience] = [0, PATIENCE];
  let isTrying = false;
  /** The size before it was halved, until the new one has proved itself. */
  let before: number | undefined;
  return {
    current: () => size,
    worked(count) {
      if (count < size || size === largest) return;
      isTrying = false;
      if (++worked < patience) return;
      [size, worked, isTrying, before] = [Math.min(largest, 2 * size), 0, true, undefined];
    },
    halve(count) {
      if (isTrying) patience = Math.min(2 * patience, PATIENCE_MAX);
      before ??= size;
      [size, worked, isTrying] = [Math.max(1, count >> 1), 0, false];
      return size;
    },
    restore() {
      [size, before] = [before ?? size, undefined];
    },
  };
}
