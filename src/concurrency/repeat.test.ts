/** Repeated work, on a fake clock. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { repeat } from './repeat.ts';

afterEach(() => void vi.useRealTimers());

test('acts at once, and again after the time that each act returns', async () => {
  vi.useFakeTimers();
  let count = 0;
  const stop = repeat(async () => 100 * ++count);
  expect(count).toBe(1);
  await vi.advanceTimersByTimeAsync(99);
  expect(count).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(count).toBe(2);
  await vi.advanceTimersByTimeAsync(199);
  expect(count).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(count).toBe(3);
  await stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(count).toBe(3);
});

test('when stopped, waits for the running act and starts no other', async () => {
  const running = Promise.withResolvers<number>();
  let count = 0;
  const stop = repeat(() => {
    count++;
    return running.promise;
  });
  let isStopped = false;
  const stopped = stop().then(() => {
    isStopped = true;
  });
  await delay(0);
  expect(isStopped).toBe(false);
  running.resolve(0);
  await stopped;
  await delay(5);
  expect(count).toBe(1);
});
