/** The browser that all tests of a run share. */
import { type Browser, chromium } from 'playwright-core';
import { afterAll } from 'vitest';
import { share } from './share.ts';

/** Connects to the browser until the last test of the file; undefined where this machine has none. */
export async function openBrowser(): Promise<Browser | undefined> {
  const { address } = await share<{ address?: string }>({ program: 'browser' });
  const browser = address === undefined ? undefined : await chromium.connect(address);
  afterAll(() => browser?.close());
  return browser;
}
