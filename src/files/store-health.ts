/** Knows whether the store of uploaded files answers, also for callers that ask each second. */
import { singleFlight } from '../concurrency/single-flight.ts';
import type { FileStore } from './file-store.ts';

/** A load balancer waits a second or two for its health check. */
const PATIENCE_MS = 1_000;
/** From this age on the store is asked again, and the known answer is still returned. */
const FRESH_MS = 5_000;
/** An older answer is discarded. */
const KNOWN_MS = 15_000;

/** Returns a function that reports whether the store answers, and asks it every five seconds at most. */
export function createStoreHealth(files: Pick<FileStore, 'look'>): () => Promise<boolean> {
  const look = singleFlight(() => files.look(), PATIENCE_MS);
  let known = { isAvailable: false, atMs: Number.NEGATIVE_INFINITY };
  let looking: Promise<void> | undefined;
  const lookAgain = async (): Promise<void> => {
    const isAvailable = await look().then(
      () => true,
      () => false,
    );
    known = { isAvailable, atMs: performance.now() };
    looking = undefined;
  };
  return async () => {
    const ageMs = performance.now() - known.atMs;
    if (ageMs > FRESH_MS) looking ??= lookAgain();
    if (ageMs > KNOWN_MS) await looking;
    return known.isAvailable;
  };
}
