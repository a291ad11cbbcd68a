/** Who has its turn when: places, the queue behind them, and those who step out and come back. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { type Admission, createAdmission } from './admission.ts';

afterEach(() => void vi.useRealTimers());

/** Enters so often; gives the numbers of those that have had their turn, in that order, and how many were refused. */
function enterOften(admission: Admission, count: number) {
  const entered: number[] = [];
  let refused = 0;
  for (let number = 0; number < count; number++) {
    const turn = admission.enter();
    if (turn === undefined) refused++;
    else turn.then(() => entered.push(number));
  }
  return { entered, refused };
}

test('as many work as there are places; the next begins when one leaves, in the order of coming', async () => {
  const admission = createAdmission(2);
  const first = await admission.enter();
  const { entered, refused } = enterOften(admission, 3);
  await turn();
  expect([entered, refused]).toEqual([[0], 0]);
  first?.leave();
  await turn();
  expect(entered).toEqual([0, 1]);
});

test('a burst waits, however large up to a thousand; the rest is refused at once', async () => {
  const { refused } = enterOften(createAdmission(1), 1_100);
  expect(refused).toBe(99);
});

test('while who came first has waited for more than a second, nobody joins a queue that is long already', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const admission = createAdmission(1);
  const working = await admission.enter();
  expect(enterOften(admission, 31).refused).toBe(0);
  vi.advanceTimersByTime(1_100);
  expect(enterOften(admission, 3).refused).toBe(2);
  for (let served = 0; served < 31; served++) working?.leave();
  await turn();
  // The first of those who came later has not waited yet.
  expect(enterOften(admission, 50).refused).toBe(0);
});

test('a queue that is known to move slowly grows no longer than what it serves in a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.advanceTimersByTime(60_000);
  const admission = createAdmission(10);
  const places = await Promise.all(Array.from({ length: 10 }, () => admission.enter()));
  expect(enterOften(admission, 50).refused).toBe(0);
  for (let served = 0; served < 10; served++) {
    vi.advanceTimersByTime(20);
    places[0]?.leave();
  }
  // 40 wait, and fifty a second are served.
  expect(enterOften(admission, 30).refused).toBe(20);
});

test('who steps out lets another one work, and comes back before those who wait', async () => {
  const admission = createAdmission(1);
  const place = await admission.enter();
  const outside = Promise.withResolvers<void>();
  let isBack = false;
  const back = place
    ?.outside(() => outside.promise)
    .then(() => {
      isBack = true;
    });
  const other = await admission.enter();
  const { entered } = enterOften(admission, 1);
  outside.resolve();
  await turn();
  expect([isBack, entered]).toEqual([false, []]);
  other?.leave();
  await back;
  expect(entered).toEqual([]);
  place?.leave();
  await turn();
  expect(entered).toEqual([0]);
});
