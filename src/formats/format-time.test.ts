/** Times are shown as players show them. */
import { expect, test } from 'vitest';
import { formatTime } from './format-time.ts';

test.each([
  [0, '00:00:00'],
  [9.999, '00:00:09'],
  [765.48, '00:12:45'],
  [3600, '01:00:00'],
  [360_001, '100:00:01'],
])('the time %f is shown as %s', (seconds, text) => {
  expect(formatTime(seconds)).toBe(text);
});
