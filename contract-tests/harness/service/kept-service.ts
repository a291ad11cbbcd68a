/** Keeps a service for all tests of a file. Tests that harm a service need one of their own. */
import { afterAll } from 'vitest';
import {
  makeDataDirectory,
  type RunningService,
  removeDataDirectory,
  type StartOptions,
  startService,
} from './service-process.ts';

/**
 * Runs `start` on an empty data directory.
 * After the last test of the file, stops it, and removes the directory with everything that still runs on it.
 */
export async function keepForTests<Kept extends { stop(): Promise<void> }>(
  start: (dataDirectory: string) => Promise<Kept>,
): Promise<Kept> {
  const dataDirectory = await makeDataDirectory();
  const remove = () => removeDataDirectory(dataDirectory);
  const kept = await start(dataDirectory).catch((error) => remove().then(() => Promise.reject(error)));
  afterAll(async () => await kept.stop().finally(remove));
  return kept;
}

/** Starts a service that checks its own answers against the spec, for all tests of the file. */
export const keepService = ({ settings, ...options }: StartOptions = {}): Promise<RunningService> =>
  keepForTests((dataDirectory) =>
    startService(dataDirectory, { ...options, settings: { VALIDATE_RESPONSES: 'true', ...settings } }),
  );
