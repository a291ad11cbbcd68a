/** Caches whether the file store answers, for callers that ask every second. */
import { singleFlight } from '../concurrency/single-flight.ts';
import type { FileStore } from './file-store.ts';

/** How long to wait for the store: a load balancer's health check waits only a second or two. */
const TIMEOUT_MS = 1_000;
/** An older result is still returned, while a new check begins. */
const FRESH_MS = 5_000;
/** An older result is not returned: the caller waits for the new check. */
const MAX_AGE_MS = 15_000;

/** Returns a function that reports whether the store answers. It pings the store every FRESH_MS at most. */
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
