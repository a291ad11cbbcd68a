/** Addresses that people would misread are refused, and all others pass. */
import { expect, test } from 'vitest';
import { requirePlainAddress } from './plain-address.ts';

const refusalOf = (address: string) => {
  try {
    requirePlainAddress('sourceUrl', address);
    return undefined;
  } catch (error) {
    return (error as { data: unknown }).data; // a ServiceError
  }
};

const MARKS = [0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
const CONTROLS = [0, 9, 0xa, 0xd, 0x1f, 0x7f, 0x80, 0x85, 0x9f];
const BLANKS = [0x20, 0xa0, 0x2003, 0x2028, 0x3000, 0xfeff];

test.each([...MARKS, ...CONTROLS, ...BLANKS, 0x5c])(
  'U+%x is refused at any place, with the field named',
  (code) => {
    const character = String.fromCodePoint(code);
    for (const address of [
      `${character}https://a.example/x`,
      `https://a${character}.example/`,
      `https://a.example/${character}`,
    ])
      expect(refusalOf(address)).toEqual({
        formErrors: [],
        fieldErrors: { sourceUrl: [expect.stringContaining('must have no white space')] },
      });
  },
);

test.each([
  'https://example.com/a%20b?c=%5C#d',
  'https://bücher.example/straße',
  'https://例え.jp/文書',
  'https://مثال.إختبار/نص',
  'http://[::1]:8080/x',
  'https://👩‍💻.example/',
])('%s passes', (address) => {
  expect(refusalOf(address)).toBeUndefined();
});
