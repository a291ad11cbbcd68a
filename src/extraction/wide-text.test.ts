/** UTF-16 of any length at any address. */
import { expect, test } from 'vitest';
import { wideText } from './wide-text.ts';

test.each([
  ['an even number of bytes', 'Größe', 0, 'Größe'],
  ['a byte that is left over', 'Größe', 1, 'Größ'],
  ['a mark of the byte order, which stays', '\ufeffa', 0, '\ufeffa'],
  ['half of a pair', '\ud83da', 0, '\ufffda'],
])('%s', (_what, text, missing, decoded) => {
  const bytes = Buffer.from(text, 'utf16le');
  for (const before of [0, 1]) {
    const moved = Buffer.concat([Buffer.alloc(before), bytes]).subarray(before);
    expect(wideText(moved.subarray(0, moved.length - missing))).toBe(decoded);
  }
});
