/** Upload addresses: each authorises the PUT of one file's bytes. */
import { uploadNotAuthorized } from '../terms/errors.ts';
import { formatSignedPath, isSignedPath, type SignedRequest } from './signed-path.ts';

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

const toRequest = ({ fileId, sizeBytes, expiresAt, accountId, keyId }: UploadGrant): SignedRequest => ({
  method: 'PUT',
  folder: 'uploads',
  id: fileId,
  parameters: {
    size: String(sizeBytes),
    expires: String(expiresAt.getTime()),
    account: accountId,
    key: keyId,
  },
});

/** Returns the path and query of the address, to be appended to the service's public address. */
export const formatUploadPath = (secret: string, grant: UploadGrant): string =>
  formatSignedPath(secret, toRequest(grant));

/** Matches the output of `formatUploadPath`. An expiry has 13 digits until the year 2286, a size 8 at most. */
const UPLOAD_PATH =
  /^\/uploads\/([\w-]+)\?size=(\d{1,15})&expires=(\d{1,15})&account=([\w-]{1,64})&key=(\w{1,64})&signature=[\w-]+$/;

/**
 * Reads the grant of an upload address, which must be exactly one that the service has issued. The caller checks the
 * expiry.
 * @param target path and query as they were requested
 * @throws UNAUTHORIZED when `target` is not exactly the output of `formatUploadPath`
 */
export function readUploadGrant(secret: string, target: string): UploadGrant {
  const [, fileId, size, expires, accountId, keyId] = UPLOAD_PATH.exec(target) ?? [];
  if (fileId === undefined || accountId === undefined || keyId === undefined) throw uploadNotAuthorized();
  const expiresAt = new Date(Number(expires));
  const grant = { fileId, sizeBytes: Number(size), expiresAt, accountId, keyId };
  if (!isSignedPath(secret, toRequest(grant), target)) throw uploadNotAuthorized();
  return grant;
}
