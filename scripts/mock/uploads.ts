/** Upload addresses of the mock: signed and answered like the service's. */
import { createHash } from 'node:crypto';
import { readConfig } from '../../src/config/config.ts';
import { formatUploadPath, readUploadGrant } from '../../src/files/upload-address.ts';
import type { Upload } from '../../src/http/routes/routes.ts';
import { wrongUploadLength } from '../../src/terms/errors.ts';

/** Not a secret: it protects nothing. The address in the spec's example is signed with it, too. */
const MOCK_UPLOAD_SECRET = 'mock';
/** The service's default. */
export const TICKET_TTL_MS = readConfig({}).uploadTicketTtlSeconds * 1000;

/**
 * The bytes of a file. `head`: its first bytes, HEAD_MAX_BYTES at most. The others are counted and hashed, so that
 * large uploads take no memory.
 */
export type ReceivedBytes = { head: Buffer; sizeBytes: number; sha256: Buffer };

/** The text of a file is read if the file is no larger than this. */
export const HEAD_MAX_BYTES = 2_000_000;

/** The address and the expiry of a ticket for this file, at the mock's own address. */
export function formatTicket(
  fileId: string,
  { sizeBytes, origin }: { sizeBytes: number; origin: string },
): { uploadUrl: string; expiresAt: string } {
  const expiresAt = new Date(Date.now() + TICKET_TTL_MS);
  const grant = { fileId, sizeBytes, expiresAt, accountId: 'mock', keyId: 'mock' };
  return {
    uploadUrl: origin + formatUploadPath(MOCK_UPLOAD_SECRET, grant),
    expiresAt: expiresAt.toISOString(),
  };
}

/** Reads a body to its end, or until it is longer than `sizeBytes`. */
export async function readBytes(pieces: AsyncIterable<Buffer>, sizeBytes: number): Promise<ReceivedBytes> {
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let [received, kept] = [0, 0];
  for await (const piece of pieces) {
    received += piece.length;
    if (received > sizeBytes) break;
    hash.update(piece);
    if (kept < HEAD_MAX_BYTES) {
      head.push(piece.subarray(0, HEAD_MAX_BYTES - kept));
      kept += head.at(-1)?.length ?? 0;
    }
  }
  return { head: Buffer.concat(head), sizeBytes: received, sha256: hash.digest() };
}

/**
 * Creates the function that receives the bytes of a file, in any number of attempts. `require` is called before the
 * first byte, and `keep` after the last one. Both may throw.
 * @returns a function that throws UNAUTHORIZED (not an address of the mock), INPUT_VALIDATION_FAILED (wrong length)
 */
export function createReceiveUpload({
  require,
  keep,
}: {
  require(fileId: string): void;
  keep(fileId: string, bytes: ReceivedBytes): Promise<void>;
}): (upload: Upload) => Promise<object> {
  return async ({ target, request }) => {
    const { fileId, sizeBytes } = readUploadGrant(MOCK_UPLOAD_SECRET, target);
    require(fileId);
    const declared = request.headers['content-length'];
    if (declared !== undefined && Number(declared) !== sizeBytes)
      throw wrongUploadLength(sizeBytes, Number(declared));
    // After an early refusal the HTTP layer reads the rest, so that the connection stays usable.
    const received = await readBytes(request.iterator({ destroyOnReturn: false }), sizeBytes);
    if (received.sizeBytes > sizeBytes) throw wrongUploadLength(sizeBytes);
    if (received.sizeBytes !== sizeBytes) throw wrongUploadLength(sizeBytes, received.sizeBytes);
    await keep(fileId, received);
    return { fileId, size: sizeBytes, sha256: received.sha256.toString('hex') };
  };
}
