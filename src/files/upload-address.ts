/**
 * Upload addresses: an HMAC over method, file, size, expiry, account and key authorises the PUT of one file's bytes.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { uploadNotAuthorized } from '../errors.ts';

/**
 * The right to upload `sizeBytes` bytes as one file until the expiry. An upload counts as a request of the key, and
 * shares the account's permits.
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

/** Returns the path and query of the address, to be appended to the service's public address. */
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

/** Matches the output of `formatUploadPath`. An expiry has 13 digits until the year 2286, a size 8 at most. */
const UPLOAD_PATH =
  /^\/uploads\/([\w-]+)\?size=(\d{1,15})&expires=(\d{1,15})&account=([\w-]{1,64})&key=(\w{1,64})&signature=[\w-]+$/;

/**
 * Reads the grant of an upload address. The address must be exactly the one that the service has issued. Equivalent
 * forms (another order, case or escape, an additional parameter) are refused, so that their interpretation does not
 * matter. The caller checks the expiry.
 * @param target path and query as they were requested
 * @throws UNAUTHORIZED when `target` is not exactly the output of `formatUploadPath`
 */
export function readUploadGrant(secret: string, target: string): UploadGrant {
  const [, fileId, size, expires, accountId, keyId] = UPLOAD_PATH.exec(target) ?? [];
  if (fileId === undefined || accountId === undefined || keyId === undefined) throw uploadNotAuthorized();
  const expiresAt = new Date(Number(expires));
  const grant = { fileId, sizeBytes: Number(size), expiresAt, accountId, keyId };
  const [actual, expected] = [Buffer.from(target), Buffer.from(formatUploadPath(secret, grant))];
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) throw uploadNotAuthorized();
  return grant;
}
