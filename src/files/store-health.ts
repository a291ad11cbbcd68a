/** Knows whether the store of uploaded files answers, also for those who ask each second. */
import { singleFlight } from '../concurrency/single-flight.ts';
import type { FileStore } from './file-store.ts';

/** A balancer's own patience is a second or two. */
const PATIENCE_MS = 1_000;
/** From this age on the store is asked again, while the answer is still what was known. */
const FRESH_MS = 5_000;
/** What is older is no answer. */
const KNOWN_MS = 15_000;

/** Gives a function that says whether the store answers, and asks it every five seconds at most. */
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
