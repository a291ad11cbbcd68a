/** Download addresses of the mock: signed and answered like the service's. Of each file they return the text. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { DocumentType, DownloadTicket } from '../../generated/types.gen.ts';
import { formatDownloadPath, readDownloadGrant } from '../../src/files/download-address.ts';
import { toDownloadHeaders } from '../../src/files/download-headers.ts';
import type { OpenDownload } from '../../src/http/routes/download-route.ts';

/** Not a secret: it protects nothing. The address in the spec's example is signed with it, too. */
const MOCK_DOWNLOAD_SECRET = 'mock';
/** The service's. */
const DOWNLOAD_URL_TTL_MS = 300_000;

/** The file of a document, as far as the mock knows it. */
export type MockFile = { fileName: string; type: DocumentType; text: string };

/** The file of every document where nothing is stored. */
export const FIXED_FILE: MockFile = { fileName: 'mock.txt', type: 'txt', text: 'A file of the mock.\n' };

/** A file has at least one byte. */
const bytesOf = ({ text, fileName }: MockFile): Buffer => Buffer.from(text || `${fileName} has no text.\n`);

/** A ticket for the file of this document, at the mock's own address. */
export function formatDownload(
  file: MockFile,
  { documentId, origin }: { documentId: string; origin: string },
): Omit<DownloadTicket, 'fileId'> {
  const expiresAt = new Date(Date.now() + DOWNLOAD_URL_TTL_MS);
  const grant = { documentId, expiresAt, accountId: 'mock', keyId: 'mock' };
  const bytes = bytesOf(file);
  return {
    downloadUrl: origin + formatDownloadPath(MOCK_DOWNLOAD_SECRET, grant),
    expiresAt: expiresAt.toISOString(),
    fileName: file.fileName,
    mimeType: toDownloadHeaders(file.fileName, file.type).contentType,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

/**
 * Creates the function that opens the file at an address. The mock's addresses do not expire.
 * @returns a function that throws UNAUTHORIZED (not an address of the mock), and what `findFile` throws
 */
export const createOpenDownload =
  (findFile: (documentId: string) => MockFile): OpenDownload =>
  async ({ target }) => {
    const { documentId } = readDownloadGrant(MOCK_DOWNLOAD_SECRET, target);
    const file = findFile(documentId);
    const bytes = bytesOf(file);
    return {
      ...toDownloadHeaders(file.fileName, file.type),
      sizeBytes: bytes.length,
      etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
      open: async ({ start, end }) => Readable.from([bytes.subarray(start, end + 1)]),
    };
  };
