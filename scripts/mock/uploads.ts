/** Upload addresses of the mock: signed and answered like the service's. The bytes are counted and discarded. */
import { createHash } from 'node:crypto';
import { wrongUploadLength } from '../../src/errors.ts';
import { formatUploadPath, readUploadGrant } from '../../src/files/upload-address.ts';
import type { Upload } from '../../src/http/routes.ts';

/** Not a secret: it protects nothing. The address in the spec's example is signed with it, too. */
const MOCK_UPLOAD_SECRET = 'mock';
/** The service's default. */
const TICKET_TTL_MS = 3_600_000;

/** The ticket of an example, for a file of this size and for the mock's address. */
export function issueTicket<Ticket extends { fileId: string }>(
  ticket: Ticket,
  { sizeBytes, origin }: { sizeBytes: number; origin: string },
): Ticket & { uploadUrl: string; expiresAt: string } {
  const expiresAt = new Date(Date.now() + TICKET_TTL_MS);
  const path = formatUploadPath(MOCK_UPLOAD_SECRET, {
    fileId: ticket.fileId,
    sizeBytes,
    expiresAt,
    accountId: 'mock',
    keyId: 'mock',
  });
  return { ...ticket, uploadUrl: origin + path, expiresAt: expiresAt.toISOString() };
}

/**
 * Receives the bytes, in any number of attempts. The mock's tickets do not expire.
 * @throws UNAUTHORIZED (not an address of the mock), INPUT_VALIDATION_FAILED (wrong length)
 */
export async function receiveUpload({ target, request }: Upload): Promise<object> {
  const { fileId, sizeBytes } = readUploadGrant(MOCK_UPLOAD_SECRET, target);
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) !== sizeBytes)
    throw wrongUploadLength(sizeBytes, Number(declared));
  const hash = createHash('sha256');
  let received = 0;
  // After an early refusal the HTTP layer reads the rest, so that the connection stays usable.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    received += chunk.length;
    hash.update(chunk);
    if (received > sizeBytes) throw wrongUploadLength(sizeBytes);
  }
  if (received !== sizeBytes) throw wrongUploadLength(sizeBytes, received);
  return { fileId, size: sizeBytes, sha256: hash.digest('hex') };
}
