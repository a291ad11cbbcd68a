/** The service accepts an upload address only if it is exactly one that it has signed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatUploadPath, readUploadGrant, type UploadGrant } from './upload-address.ts';

const secret = 'a secret of the test, long enough to be one';
const grant: UploadGrant = {
  fileId: 'kb_file',
  sizeBytes: 1234,
  expiresAt: new Date('2026-01-02T03:04:05.678Z'),
  accountId: '0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f',
  keyId: '0123456789abcdef01234567',
};
const path = formatUploadPath(secret, grant);

test('returns the grant of a signed address', () => {
  expect(readUploadGrant(secret, path)).toEqual(grant);
});

test('refuses an address after any edit, or with another secret', () => {
  fc.assert(
    fc.property(fc.nat(path.length), fc.nat(3), fc.string({ maxLength: 3 }), (at, deleted, text) => {
      const edited = path.slice(0, at) + text + path.slice(at + deleted);
      fc.pre(edited !== path);
      expect(() => readUploadGrant(secret, edited)).toThrow('upload address');
    }),
  );
  expect(() => readUploadGrant(`${secret}!`, path)).toThrow('upload address');
});

test.each([
  ['another order', (size: string, expires: string, ...rest: string[]) => [expires, size, ...rest]],
  ['a parameter twice', (...all: string[]) => [...all, ...all]],
  ['an additional parameter', (...all: string[]) => [...all, 'a=b']],
  ['a zero before the size', (size: string, ...rest: string[]) => [size.replace('=', '=0'), ...rest]],
  ['an escape', (size: string, ...rest: string[]) => [size.replace('s', '%73'), ...rest]],
])('refuses %s, although it would mean the same', (_, change) => {
  const [start = '', query = ''] = path.split('?');
  const [size = '', expires = '', ...rest] = query.split('&');
  const edited = `${start}?${change(size, expires, ...rest).join('&')}`;
  expect(() => readUploadGrant(secret, edited)).toThrow('upload address');
});
