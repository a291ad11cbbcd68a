/** Opens the file at a download address, where the store is the service's own. */
import type { Readable } from 'node:stream';
import { createFairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { type Client, REQUEST_WAIT_MAX_MS } from '../../concurrency/wait-queue.ts';
import { readDatabaseTime } from '../../database/connection/clock.ts';
import type { Database } from '../../database/connection/database.ts';
import type { SoughtId } from '../../database/rows/documents/documents.ts';
import { type DownloadGrant, readDownloadGrant } from '../../files/download-address.ts';
import { toDownloadHeaders } from '../../files/download-headers.ts';
import type { ByteRange, StreamedDownloads } from '../../files/file-store.ts';
import { type Original, requireOriginal } from '../../files/files.ts';
import { documentNotFound, downloadExpired, fileMissing } from '../../terms/errors.ts';
import { parseDocumentId } from '../../terms/ids.ts';
import type { Caller } from '../access/authenticate.ts';
import type { WithDatabasePermit } from '../capacity/database-permits.ts';
import type { OpenDownload } from './download-route.ts';

/**
 * The most downloads in progress, and as many more for accounts without any. Each holds a file descriptor, and 64 KiB
 * of the file in memory.
 */
const OPEN_MAX = 64;

/** The minimum average rate, as for uploads (arriving-bytes.ts), after half a minute for everything else. */
const LEAST_BYTES_PER_MS = 16;
const GRACE_MS = 30_000;

type DownloadContext = Readonly<{
  database: Database;
  downloads: StreamedDownloads;
  uploadSecret: string;
  withDatabasePermit: WithDatabasePermit;
  /** Counts the request, and throws RATE_LIMITED. */
  limitRate(keyId: string): Promise<unknown>;
  /** The caller of requests with this key; undefined: it is revoked or expired. */
  findCaller(keyId: string): Promise<Caller | undefined>;
}>;

/** Counts the request, and finds the file. @throws RATE_LIMITED, DOWNLOAD_EXPIRED, DOCUMENT_NOT_FOUND */
async function findOriginal(
  { database, limitRate, findCaller }: DownloadContext,
  { documentId, expiresAt, keyId }: DownloadGrant,
): Promise<{ document: SoughtId; original: Original }> {
  await limitRate(keyId);
  if (expiresAt <= (await readDatabaseTime(database))) throw downloadExpired();
  const caller = await findCaller(keyId);
  // To a key that does not exist any more, no document exists.
  if (caller === undefined) throw documentNotFound();
  const { accountId, allowedKnowledgeBases, restriction } = caller;
  const document = { ...parseDocumentId(documentId, allowedKnowledgeBases), accountId, restriction };
  return { document, original: await requireOriginal(database, document) };
}

/** Ends a download that takes longer than its length allows, and calls `onClose` at its end. */
function limitTime(file: Readable, { start, end }: ByteRange, onClose: () => void): Readable {
  const maxMs = GRACE_MS + (end - start + 1) / LEAST_BYTES_PER_MS;
  const timer = setTimeout(() => file.destroy(new Error('the client reads too slowly')), maxMs);
  file.once('close', () => {
    clearTimeout(timer);
    onClose();
  });
  return file;
}

type PartRequest = {
  request: { accountId: string; client: Client };
  found: { document: SoughtId; original: Original };
  part: ByteRange;
};

/** Opens a part of the file. @throws DOCUMENT_NOT_FOUND when the document has been deleted meanwhile */
async function openPart(
  { database, downloads, withDatabasePermit }: DownloadContext,
  { request, found: { document, original }, part }: PartRequest,
) {
  const { objectName, sizeBytes } = original;
  const file = await downloads.open(objectName, { ...part, sizeBytes });
  if (file !== undefined) return file;
  await withDatabasePermit(request, () => requireOriginal(database, document));
  throw fileMissing(objectName);
}

/**
 * Creates the function that opens the file of a document by its address. Accounts alternate at the database, and
 * share the downloads in progress.
 * @returns a function that throws UNAUTHORIZED, RATE_LIMITED, DOWNLOAD_EXPIRED, DOCUMENT_NOT_FOUND,
 * SERVICE_UNAVAILABLE
 */
export function createOpenDownload(service: DownloadContext): OpenDownload {
  const { uploadSecret, withDatabasePermit } = service;
  const permits = createFairSemaphore(OPEN_MAX, undefined, OPEN_MAX);

  return async ({ target, client }) => {
    const grant = readDownloadGrant(uploadSecret, target);
    const { accountId } = grant;
    const request = { accountId, client };
    const found = await withDatabasePermit(request, () => findOriginal(service, grant));
    const { fileName, type, sizeBytes, objectName } = found.original;
    return {
      ...toDownloadHeaders(fileName, type),
      sizeBytes,
      // An object never changes.
      etag: `"${objectName.split('/').at(-1)}"`,
      async open(part) {
        await permits.acquire(accountId, { client, waitMaxMs: REQUEST_WAIT_MAX_MS });
        const release = () => permits.release(accountId);
        try {
          return limitTime(await openPart(service, { request, found, part }), part, release);
        } catch (error) {
          release();
          throw error;
        }
      },
    };
  };
}
