/** A large text that would wait in vain is refused as soon as that shows. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createExpectedWait, type ExpectedWait } from './expected-wait.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const WAIT_MAX_MS = 50_000;
const place = (ahead: number, parallel = 2) => ({ ahead, parallel, waitMaxMs: WAIT_MAX_MS });

/** Lets a text of an account take this long. */
function run(expected: ExpectedWait, seconds: number, accountId = 'a'): void {
  const end = expected.begin(accountId);
  vi.advanceTimersByTime(1_000 * seconds);
  end();
}

test('nothing is refused before anything is known, nor where all fit into the longest wait', () => {
  const expected = createExpectedWait();
  expected.watch('a', place(900)).end();
  run(expected, 5);
  expected.watch('a', place(19)).end();
});

test('at once, where the texts before it take longer than the longest wait', () => {
  const expected = createExpectedWait();
  run(expected, 20);
  expect(() => expected.watch('a', place(6))).toThrow('try again');
  expected.watch('a', place(4)).end();
  expected.watch('b', place(6)).end(); // nothing is known of the texts of another account
});

test('within seconds, where the texts before it turn out to take longer', () => {
  const expected = createExpectedWait();
  run(expected, 2);
  expected.begin('a');
  const { signal, end } = expected.watch('a', place(20));
  vi.advanceTimersByTime(4_000);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(4_000);
  expect(signal.reason).toMatchObject({ status: 503 });
  end();
});

test('a wait goes on while texts end as expected', () => {
  const expected = createExpectedWait();
  run(expected, 5);
  const { signal, end } = expected.watch('a', place(8, 1));
  for (let i = 0; i < 8; i++) run(expected, 5);
  expect(signal.aborted).toBe(false);
  end();
});
