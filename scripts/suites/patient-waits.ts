/**
 * Vitest gives up a wait without a time-out of its own after a second. A machine with other work needs longer, and what
 * never comes may be noticed late.
 */
import { vi } from 'vitest';

const TIMEOUT_MS = 60_000;

const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options) => waitFor(callback, { timeout: TIMEOUT_MS, ...toOptions(options) });
vi.waitUntil = (callback, options) => waitUntil(callback, { timeout: TIMEOUT_MS, ...toOptions(options) });

/** Vitest also takes the time-out itself. */
const toOptions = <Options extends object>(options: number | Options | undefined) =>
  typeof options === 'number' ? { timeout: options } : options;
