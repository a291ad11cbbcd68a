import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withTimeout } from './timeout.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => {});
const late = () => {
  throw new Error('too late');
};

test('work in time has its result or its error, and leaves no timer', async () => {
  await expect(withTimeout(Promise.resolve(1), 1_000, late)).resolves.toBe(1);
  await expect(withTimeout(2, 1_000, late)).resolves.toBe(2);
  await expect(withTimeout(Promise.reject(new Error('failed')), 1_000, late)).rejects.toThrow('failed');
  expect(vi.getTimerCount()).toBe(0);
});

test('work that takes too long has the result or the error of the time-out, and not before', async () => {
  const results: unknown[] = [];
  withTimeout(never, 1_000, () => 'late').then((result) => results.push(result));
  withTimeout(never, 1_000, late).catch((error) => results.push(error));
  await vi.advanceTimersByTimeAsync(999);
  expect(results).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(results).toEqual(['late', new Error('too late')]);
  expect(vi.getTimerCount()).toBe(0);
});

test('an error after the time-out is ignored', async () => {
  const { promise: work, reject } = Promise.withResolvers<never>();
  const result = withTimeout(work, 1_000, () => 'late');
  await vi.advanceTimersByTimeAsync(1_000);
  // Unhandled, it would fail this run.
  reject(new Error('later still'));
  await expect(result).resolves.toBe('late');
});
