/** Keeps one service for all tests of a file. Black-box tests that harm a service need their own. */
import { afterAll, beforeAll } from 'vitest';
import { withDataDirectory } from './service-process.ts';

/** Several servers may have to start, each within a minute. */
const START_TIMEOUT_MS = 180_000;

/**
 * Registers hooks. Before the first test, `start` runs on an empty data directory.
 * After the last one, its result is stopped, and the directory removed with everything that still runs on it.
 * @returns a function that returns the result to the tests; it throws where nothing has started
 */
export function keepForTests<Kept extends { stop(): Promise<void> }>(
  start: (dataDirectory: string) => Promise<Kept>,
): () => Kept {
  const ending = Promise.withResolvers<void>();
  let ended = Promise.resolve();
  let kept: Kept | undefined;
  beforeAll(async () => {
    const started = Promise.withResolvers<void>();
    ended = withDataDirectory(async (dataDirectory) => {
      kept = await start(dataDirectory);
      started.resolve();
      await ending.promise;
      await kept.stop();
    });
    ended.catch(started.reject);
    await started.promise;
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    ending.resolve();
    await ended;
  });
  return () => {
    if (kept === undefined) throw new Error('nothing has started');
    return kept;
  };
}
