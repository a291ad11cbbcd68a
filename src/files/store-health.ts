/** Knows whether the store of uploaded files answers, also for callers that ask each second. */
import { singleFlight } from '../concurrency/single-flight.ts';
import type { FileStore } from './file-store.ts';

/** A load balancer waits a second or two for its health check. */
const TIMEOUT_MS = 1_000;
/** From this age on the store is asked again, and the known answer is still returned. */
const FRESH_MS = 5_000;
/** An older answer is discarded. */
const MAX_AGE_MS = 15_000;

/** Returns a function that reports whether the store answers, and asks it every five seconds at most. */
export function createStoreHealth(files: Pick<FileStore, 'ping'>): () => Promise<boolean> {
  const ping = singleFlight(() => files.ping(), TIMEOUT_MS);
  let latest = { isAvailable: false, atMs: Number.NEGATIVE_INFINITY };
  let refreshing: Promise<void> | undefined;
  const refresh = async (): Promise<void> => {
    const isAvailable = await ping().then(
      () => true,
      () => false,
    );
    latest = { isAvailable, atMs: performance.now() };
    refreshing = undefined;
  };
  return async () => {
    const ageMs = performance.now() - latest.atMs;
    if (ageMs > FRESH_MS) refreshing ??= refresh();
    if (ageMs > MAX_AGE_MS) await refreshing;
    return latest.isAvailable;
  };
}
