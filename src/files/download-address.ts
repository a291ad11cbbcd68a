/** Download addresses: each authorises the GET of the file of one document. */
import { downloadNotAuthorized } from '../terms/errors.ts';
import { formatSignedPath, isSignedPath, type SignedRequest } from './signed-path.ts';

/**
 * The right to download the file of a document until the expiry. A download counts as a request of the key, and ends
 * with the key.
 */
export type DownloadGrant = { documentId: string; expiresAt: Date; accountId: string; keyId: string };

const toRequest = ({ documentId, expiresAt, accountId, keyId }: DownloadGrant): SignedRequest => ({
  method: 'GET',
  folder: 'downloads',
  id: documentId,
  parameters: { expires: String(expiresAt.getTime()), account: accountId, key: keyId },
});

/** Returns the path and query of the address, to be appended to the service's public address. */
export const formatDownloadPath = (secret: string, grant: DownloadGrant): string =>
  formatSignedPath(secret, toRequest(grant));

/** Matches the output of `formatDownloadPath`. An expiry has 13 digits until the year 2286. */
const DOWNLOAD_PATH =
  /^\/downloads\/([\w-]+)\?expires=(\d{1,15})&account=([\w-]{1,64})&key=(\w{1,64})&signature=[\w-]+$/;

/**
 * Reads the grant of a download address, which must be exactly one that the service has issued. The caller checks the
 * expiry.
 * @param target path and query as they were requested
 * @throws UNAUTHORIZED when `target` is not exactly the output of `formatDownloadPath`
 */
export function readDownloadGrant(secret: string, target: string): DownloadGrant {
  const [, documentId, expires, accountId, keyId] = DOWNLOAD_PATH.exec(target) ?? [];
  if (documentId === undefined || accountId === undefined || keyId === undefined)
    throw downloadNotAuthorized();
  const grant = { documentId, expiresAt: new Date(Number(expires)), accountId, keyId };
  if (!isSignedPath(secret, toRequest(grant), target)) throw downloadNotAuthorized();
  return grant;
}
