/** Upload addresses: the authority to PUT one file's bytes lies in an HMAC over method, file, size, expiry, account and key. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { uploadNotAuthorized } from '../errors.ts';

/**
 * An upload address grants one file so many bytes until its expiry. An upload counts as a request of the key, and takes
 * its turn among those of the account.
 */
export type UploadGrant = {
  fileId: string;
  sizeBytes: number;
  expiresAt: Date;
  accountId: string;
  keyId: string;
};

const sign = (secret: string, { fileId, sizeBytes, expiresAt, accountId, keyId }: UploadGrant): string =>
  createHmac('sha256', secret)
    .update(`PUT\n${fileId}\n${sizeBytes}\n${expiresAt.getTime()}\n${accountId}\n${keyId}`)
    .digest('base64url');

/** Path and query of the address, to be put behind the service's public address. */
export function formatUploadPath(secret: string, grant: UploadGrant): string {
  const query = new URLSearchParams({
    size: String(grant.sizeBytes),
    expires: String(grant.expiresAt.getTime()),
    account: grant.accountId,
    key: grant.keyId,
    signature: sign(secret, grant),
  });
  return `/uploads/${grant.fileId}?${query}`;
}

/** What formatUploadPath writes; an expiry has 13 digits until the year 2286, a size 8 at the most. */
const UPLOAD_PATH =
  /^\/uploads\/([\w-]+)\?size=(\d{1,15})&expires=(\d{1,15})&account=([\w-]{1,64})&key=(\w{1,64})&signature=[\w-]+$/;

/**
 * The grant of an upload address, which has to be ours to the letter: whatever else would mean the same (another order,
 * case or escape, a parameter more) is refused, so that nothing depends on how it is read. Its expiry is not judged here.
 * @param target path and query as they were requested
 * @throws UNAUTHORIZED when it is not exactly what `formatUploadPath` gives.
 */
export function readUploadGrant(secret: string, target: string): UploadGrant {
  const [, fileId, size, expires, accountId, keyId] = UPLOAD_PATH.exec(target) ?? [];
  if (fileId === undefined || accountId === undefined || keyId === undefined) throw uploadNotAuthorized();
  const expiresAt = new Date(Number(expires));
  const grant = { fileId, sizeBytes: Number(size), expiresAt, accountId, keyId };
  const [given, right] = [Buffer.from(target), Buffer.from(formatUploadPath(secret, grant))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) throw uploadNotAuthorized();
  return grant;
}
