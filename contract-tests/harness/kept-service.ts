/** Keeps a service, and whatever belongs to it, for all tests of a file: black-box tests that harm it share no other. */
import { afterAll, beforeAll } from 'vitest';
import { withDataDirectory } from './service-process.ts';

/** Several servers may have to start, each of which may take a minute. */
const START_TIMEOUT_MS = 180_000;

/**
 * Registers that `start` is run on an empty data directory before the first test, and that what it gives is stopped, and
 * the directory removed with all that still runs on it, behind the last.
 * @returns what gives it to the tests; that throws where nothing has started
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
