/** Work in parallel: as many at a time as allowed, in order, until the first failure. */
import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';

async function* numbers(count: number, onRead: (number: number) => void) {
  for (let number = 0; number < count; number++) {
    onRead(number);
    yield number;
  }
}

test('works on all, several at a time, and reads an iterable no further than that', async () => {
  const counts = { read: 0, done: 0, working: 0, most: 0, ahead: 0 };
  await inParallel(
    numbers(20, () => counts.read++),
    3,
    async (number, index) => {
      expect(index).toBe(number);
      counts.most = Math.max(counts.most, ++counts.working);
      counts.ahead = Math.max(counts.ahead, counts.read - counts.done);
      await new Promise(setImmediate);
      counts.working -= 1;
      counts.done += 1;
    },
  );
  expect(counts).toEqual({ read: 20, done: 20, working: 0, most: 3, ahead: 3 });
});

test('after a failure nothing more begins, and the iterable is closed', async () => {
  const begun: number[] = [];
  let isClosed = false;
  async function* source() {
    try {
      yield* numbers(100, () => {});
    } finally {
      isClosed = true;
    }
  }
  const work = inParallel(source(), 2, async (number) => {
    begun.push(number);
    await new Promise(setImmediate);
    if (number === 3) throw new Error('the third');
  });
  await expect(work).rejects.toThrow('the third');
  expect(begun.length).toBeLessThan(7);
  expect(isClosed).toBe(true);
});
