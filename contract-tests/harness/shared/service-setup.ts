/**
 * Starts one service for all black-box tests, on a database of its own, and on the Node that OLDEST_NODE names: CI runs
 * it on the oldest that package.json allows. Services that tests start themselves have the Node of the tests.
 */
import type { TestProject } from 'vitest/node';
import { makeDataDirectory, removeDataDirectory, startService } from '../service/service-process.ts';
import { startSharing } from './shared-programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The service's address, `http://127.0.0.1:<port>`. */
    address: string;
    /** The key of the first account. Tests that count an account's data open an account of their own. */
    apiKey: string;
    /** The service's process. */
    pid: number;
    /** Whether the test runs in its long form, by `npm run test:faults`. */
    isLong: boolean;
    /** For tests that run the command line beside the service. */
    dataDirectory: string;
    /** The address of the programs that tests share: share.ts. */
    sharing: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDirectory = await makeDataDirectory();
  // Tests create many webhooks in one account.
  const settings = { VALIDATE_RESPONSES: 'true', WEBHOOK_LIMIT: '1000' };
  const { address, apiKey, pid, stop } = await startService(dataDirectory, {
    settings,
    node: process.env.OLDEST_NODE,
  });
  project.provide('address', address);
  project.provide('pid', pid);
  project.provide('dataDirectory', dataDirectory);
  project.provide('apiKey', apiKey);
  const sharing = await startSharing();
  project.provide('sharing', sharing.address);
  return async () => {
    await sharing.stop();
    await stop().finally(() => removeDataDirectory(dataDirectory));
  };
}
