/** Upload addresses: the authority to PUT one file's bytes lies in an HMAC over method, file, size and expiry. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { uploadNotAuthorized } from './errors.ts';

/** What an upload address grants: these many bytes for this file until then. */
export type UploadGrant = { fileId: string; sizeBytes: number; expiresAt: Date };

const sign = (secret: string, { fileId, sizeBytes, expiresAt }: UploadGrant): string =>
  createHmac('sha256', secret)
    .update(`PUT\n${fileId}\n${sizeBytes}\n${expiresAt.getTime()}`)
    .digest('base64url');

/** Path and query of the address, to be put behind the service's public address. */
export function formatUploadPath(secret: string, grant: UploadGrant): string {
  const query = new URLSearchParams({
    size: String(grant.sizeBytes),
    expires: String(grant.expiresAt.getTime()),
    signature: sign(secret, grant),
  });
  return `/uploads/${grant.fileId}?${query}`;
}

const WHOLE_NUMBER = /^\d{1,15}$/;

/**
 * The grant of an upload address as it was requested. Its expiry is not judged here.
 * @throws UNAUTHORIZED when the signature is not ours for exactly this file, size and expiry.
 */
export function readUploadGrant(secret: string, fileId: string, query: URLSearchParams): UploadGrant {
  const [size, expires] = [query.get('size') ?? '', query.get('expires') ?? ''];
  if (!WHOLE_NUMBER.test(size) || !WHOLE_NUMBER.test(expires)) throw uploadNotAuthorized();
  const grant = { fileId, sizeBytes: Number(size), expiresAt: new Date(Number(expires)) };
  const [given, right] = [query.get('signature') ?? '', sign(secret, grant)].map((text) => Buffer.from(text));
  if (given === undefined || right === undefined) throw uploadNotAuthorized();
  if (given.length !== right.length || !timingSafeEqual(given, right)) throw uploadNotAuthorized();
  return grant;
}
