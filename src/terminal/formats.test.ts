/** Numbers, times and lists as people read them. */
import { expect, test } from 'vitest';
import { enumerate, formatBytes, formatMinute, pluralise } from './formats.ts';

test.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [10_700, '10 KiB'],
  [52_428_800, '50 MiB'],
  [10 * 1024 ** 3, '10 GiB'],
  [2 ** 53, '8 PiB'],
  [Number.POSITIVE_INFINITY, '-'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test('names are enumerated, and many are counted', () => {
  expect(
    [[], ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']].map((names) => enumerate(names, 3)),
  ).toEqual(['', 'a', 'a and b', 'a, b and c', 'a, b, c and 1 more']);
  expect([pluralise(1, 'file'), pluralise(0, 'file')]).toEqual(['1 file', '0 files']);
});

test('times are minutes in UTC', () => {
  expect(formatMinute('2026-01-15T09:28:41.903Z')).toBe('2026-01-15 09:28');
  expect(formatMinute(undefined)).toBe('');
});
