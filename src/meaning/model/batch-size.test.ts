/** The size of a request settles at what the server takes, and grows again where that changes. */
import { expect, test } from 'vitest';
import { createBatchSize } from './batch-size.ts';

/** Sends `count` requests to a server that takes `limit` texts; returns how many it refused. */
function send(size: ReturnType<typeof createBatchSize>, count: number, limit: number): number {
  let refused = 0;
  for (let i = 0; i < count; i++) {
    const texts = size.current();
    if (texts <= limit) size.worked(texts);
    else {
      size.halve(texts);
      refused++;
    }
  }
  return refused;
}

test.each([1, 3, 20, 32, 100])('a server that takes %i texts gets that many, or more than half', (limit) => {
  const size = createBatchSize(64);
  send(size, 200, limit);
  // A larger size may just be tried.
  if (size.current() > limit) size.halve(size.current());
  expect(size.current()).toBeGreaterThan(Math.min(64, limit) / 2);
  expect(size.current()).toBeLessThanOrEqual(limit);
});

test('what is refused again and again is tried rarely', () => {
  const size = createBatchSize(64);
  expect(send(size, 10_000, 32)).toBeLessThan(20);
});

test('a server that takes more again gets more', () => {
  const size = createBatchSize(64);
  send(size, 20, 1);
  expect(send(size, 200, 64)).toBe(0);
  expect(size.current()).toBe(64);
});

test('the last texts of all, which are few, say nothing of the size', () => {
  const size = createBatchSize(64);
  size.halve(64);
  for (let i = 0; i < 100; i++) size.worked(5);
  expect(size.current()).toBe(32);
});

test('where one text was to blame, the size is as before', () => {
  const size = createBatchSize(64);
  size.halve(64);
  size.worked(32);
  size.halve(32);
  size.halve(16);
  size.restore();
  expect(size.current()).toBe(64);
  size.restore();
  expect(size.current()).toBe(64);
});
