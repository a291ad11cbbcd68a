/** The service accepts a download address only if it is exactly one that it has signed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DownloadGrant, formatDownloadPath, readDownloadGrant } from './download-address.ts';
import { formatUploadPath, readUploadGrant } from './upload-address.ts';

const secret = 'a secret of the test, long enough to be one';
const grant: DownloadGrant = {
  documentId: 'kb_document',
  expiresAt: new Date('2026-01-02T03:04:05.678Z'),
  accountId: '0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f',
  keyId: '0123456789abcdef01234567',
};
const path = formatDownloadPath(secret, grant);

test('returns the grant of a signed address', () => {
  expect(readDownloadGrant(secret, path)).toEqual(grant);
});

test('refuses an address after any edit, or with another secret', () => {
  fc.assert(
    fc.property(fc.nat(path.length), fc.nat(3), fc.string({ maxLength: 3 }), (at, deleted, text) => {
      const edited = path.slice(0, at) + text + path.slice(at + deleted);
      fc.pre(edited !== path);
      expect(() => readDownloadGrant(secret, edited)).toThrow('download address');
    }),
  );
  expect(() => readDownloadGrant(`${secret}!`, path)).toThrow('download address');
});

test('the signature of an upload opens no download, and the reverse', () => {
  const upload = formatUploadPath(secret, { ...grant, fileId: grant.documentId, sizeBytes: 1 });
  const signatureOf = (address: string) => new URL(address, 'http://service').searchParams.get('signature');
  const swap = (address: string, other: string) =>
    address.replace(/signature=.*/, `signature=${signatureOf(other)}`);
  expect(() => readDownloadGrant(secret, swap(path, upload))).toThrow('download address');
  expect(() => readUploadGrant(secret, swap(upload, path))).toThrow('upload address');
});
