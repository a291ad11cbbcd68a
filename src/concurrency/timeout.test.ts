import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withTimeout } from './timeout.ts';

const TIMEOUT_MS = 1_234;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(globalThis, 'setTimeout');
  vi.spyOn(globalThis, 'clearTimeout');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The timers of time-outs that nothing has cleared. Other tests of this process may have some of their own. */
function leftTimers(): unknown[] {
  const { calls, results } = vi.mocked(setTimeout).mock;
  const cleared = new Set<unknown>(vi.mocked(clearTimeout).mock.calls.map(([timer]) => timer));
  const set = results.filter((_, i) => calls[i]?.[1] === TIMEOUT_MS).map(({ value }) => value);
  expect(set.length).toBeGreaterThan(0);
  return set.filter((timer) => !cleared.has(timer));
}

const never = new Promise<never>(() => {});
const late = () => {
  throw new Error('too late');
};

test('work in time has its result or its error, and leaves no timer', async () => {
  await expect(withTimeout(Promise.resolve(1), TIMEOUT_MS, late)).resolves.toBe(1);
  await expect(withTimeout(2, TIMEOUT_MS, late)).resolves.toBe(2);
  await expect(withTimeout(Promise.reject(new Error('failed')), TIMEOUT_MS, late)).rejects.toThrow('failed');
  expect(leftTimers()).toEqual([]);
});

test('work that takes too long has the result or the error of the time-out, and not before', async () => {
  const results: unknown[] = [];
  withTimeout(never, TIMEOUT_MS, () => 'late').then((result) => results.push(result));
  withTimeout(never, TIMEOUT_MS, late).catch((error) => results.push(error));
  await vi.advanceTimersByTimeAsync(TIMEOUT_MS - 1);
  expect(results).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(results).toEqual(['late', new Error('too late')]);
  expect(leftTimers()).toEqual([]);
});

test('an error after the time-out is ignored', async () => {
  const { promise: work, reject } = Promise.withResolvers<never>();
  const result = withTimeout(work, TIMEOUT_MS, () => 'late');
  await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
  // Unhandled, it would fail this run.
  reject(new Error('later still'));
  await expect(result).resolves.toBe('late');
});
