/** Keys are recognised by form and checksum, without a query. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateApiKey, isApiKey, isSameSecret, readApiKey } from './api-key.ts';

test('a new key is recognised, and two keys differ in id and hash', () => {
  const [first, second] = [readApiKey(generateApiKey()), readApiKey(generateApiKey())];
  expect(first?.keyId).not.toBe(second?.keyId);
  expect(first && second && isSameSecret(first.secretHash, second.secretHash)).toBe(false);
});

test('a key with one changed character is refused by its form or checksum', () => {
  const key = generateApiKey();
  fc.assert(
    fc.property(fc.nat(key.length - 1), fc.constantFrom(...'0123456789abcdefK_ '), (at, character) => {
      fc.pre(key[at] !== character);
      expect(isApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
    }),
  );
});

test.each(['', 'kr_', 'sk-1234', 'kr_00_11', 'k'.repeat(10_000)])('%.20s is no key', (text) => {
  expect(isApiKey(text)).toBe(false);
});
