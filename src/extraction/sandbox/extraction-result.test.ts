/** The time limit of an extraction counts only the time during which the server itself runs. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDeadline } from './extraction-result.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

/** Lets the clock go on without timers, as during SIGSTOP. */
function pause(ms: number): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
}

test('an extraction ends at its limit, which its file type may lower', () => {
  const end = vi.fn();
  startDeadline(10_000, end);
  vi.advanceTimersByTime(9_999);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(end).toHaveBeenCalledWith("Extracting the file's text took longer than 10 seconds.");

  const { set } = startDeadline(10_000, end);
  vi.advanceTimersByTime(1_500);
  set(2_000);
  vi.advanceTimersByTime(2_500);
  expect(end).toHaveBeenLastCalledWith("Extracting the file's text took longer than 2 seconds.");
});

test('a server that was paused for minutes gives the extraction the rest of its time', () => {
  const end = vi.fn();
  startDeadline(10_000, end);
  vi.advanceTimersByTime(1_000);
  pause(120_000);
  vi.advanceTimersByTime(6_000);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(3_000);
  expect(end).toHaveBeenCalledTimes(1);
});
