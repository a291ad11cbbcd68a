/** The operation that gives a file back: an address from which a client gets its bytes. */
import { readDatabaseTime } from '../database/connection/clock.ts';
import { formatDownloadPath } from '../files/download-address.ts';
import { toDownloadHeaders } from '../files/download-headers.ts';
import { requireOriginal } from '../files/files.ts';
import { parseDocumentId } from '../terms/ids.ts';
import type { HandlerContext, Handlers } from './handler-types.ts';

/** Everybody who has the address can read the file. Five minutes are enough to begin, and to resume, a download. */
const DOWNLOAD_URL_TTL_MS = 300_000;

/** The address of this service. */
function formatOwnAddress(context: HandlerContext, documentId: string, expiresAt: Date): string {
  const { accountId, keyId, config, uploadSecret } = context;
  const path = formatDownloadPath(uploadSecret, { documentId, expiresAt, accountId, keyId });
  return (config.baseUrl ?? context.origin()) + path;
}

export const downloadHandlers = {
  async presignDownloadUrl({ documentId }, context) {
    const { database, accountId, allowedKnowledgeBases, restriction, token, files } = context;
    const original = await requireOriginal(database, {
      ...parseDocumentId(documentId, allowedKnowledgeBases),
      accountId,
      restriction,
    });
    const { file, fileName, type, sizeBytes, objectName } = original;
    const createdAt = await readDatabaseTime(database);
    const endsAt = createdAt.getTime() + DOWNLOAD_URL_TTL_MS;
    // Not after the token: the address does not know its filter.
    const expiresAt = new Date(Math.min(endsAt, token?.expiresAt.getTime() ?? endsAt));
    const headers = toDownloadHeaders(fileName, type);
    const downloadUrl =
      (await files.downloads.presign?.(objectName, { ...headers, createdAt, expiresAt })) ??
      formatOwnAddress(context, documentId, expiresAt);
    return {
      data: {
        fileId: file.id,
        downloadUrl,
        expiresAt: expiresAt.toISOString(),
        fileName,
        mimeType: headers.contentType,
        size: sizeBytes,
        ...(file.sha256 !== undefined && { sha256: file.sha256 }),
      },
    };
  },
} satisfies Partial<Handlers>;
