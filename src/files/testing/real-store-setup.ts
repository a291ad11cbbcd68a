/** Provides a real store for the tests of S3. */
import type { TestProject } from 'vitest/node';
import { openRealStore, type RealStore } from './real-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined in the other suites. */
    realStore: RealStore | undefined;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { store, close } = await openRealStore();
  project.provide('realStore', store);
  return close;
}
