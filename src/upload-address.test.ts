/** No upload address is accepted but one that the service signed, to the letter. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatUploadPath, readUploadGrant, type UploadGrant } from './upload-address.ts';

const secret = 'a secret of the test, long enough to be one';
const grant: UploadGrant = {
  fileId: 'kb_file',
  sizeBytes: 1234,
  expiresAt: new Date('2026-01-02T03:04:05.678Z'),
};
const queryOf = (path: string) => new URL(path, 'http://service').searchParams;

test('a signed address gives back its grant', () => {
  expect(readUploadGrant(secret, grant.fileId, queryOf(formatUploadPath(secret, grant)))).toEqual(grant);
});

test('any edit of file, size, expiry, signature or secret is refused', () => {
  const path = formatUploadPath(secret, grant);
  fc.assert(
    fc.property(fc.constantFrom('size', 'expires', 'signature'), fc.string(), (name, value) => {
      const query = queryOf(path);
      fc.pre(query.get(name) !== value);
      query.set(name, value);
      expect(() => readUploadGrant(secret, grant.fileId, query)).toThrow('upload address');
    }),
  );
  expect(() => readUploadGrant(secret, 'kb_other', queryOf(path))).toThrow('upload address');
  expect(() => readUploadGrant(`${secret}!`, grant.fileId, queryOf(path))).toThrow('upload address');
});
