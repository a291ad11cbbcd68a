/** Imports one file, unless the knowledge base has it already. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Document, DocumentErrorCode } from '../../../generated/types.gen.ts';
import { KnowledgeRetrievalError } from '../../client/errors.ts';
import type { LocalFile } from './find-files.ts';
import { importAddress } from './import-address.ts';
import type { ImportContext, LocalImport } from './import-context.ts';
import type { KnownDocument } from './known-documents.ts';

async function hashOf({ path, bytes }: LocalFile): Promise<string> {
  const hash = createHash('sha256');
  if (bytes !== undefined) return hash.update(bytes).digest('hex');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Whether a document is of exactly this file. Most others already differ in their size. */
async function isSame(known: KnownDocument, file: LocalFile): Promise<boolean> {
  const size = file.bytes?.length ?? (await stat(file.path)).size;
  return known.size === size && known.title === basename(file.path) && known.sha256 === (await hashOf(file));
}

/** @throws DOCUMENT_FAILED, DOCUMENT_TIMED_OUT */
async function waitFor(
  { waitForDocument }: ImportContext,
  documentId: string,
  outcome: 'imported' | 'updated',
): Promise<LocalImport> {
  if (waitForDocument === undefined) return { outcome: 'sent', documentId };
  const { warnings = [] } = await waitForDocument(documentId);
  return { outcome, documentId, ...(warnings.length > 0 && { warnings }) };
}

/** Reads a failed file again, without its bytes. A new upload would leave the failed document behind. */
async function retry({ client, signal }: ImportContext, documentId: string): Promise<void> {
  await client.retryDocument(documentId, { signal }).catch((error) => {
    const isRunning =
      error instanceof KnowledgeRetrievalError && error.errorCode === 'DOCUMENT_NOT_RETRYABLE';
    if (!isRunning) throw error;
  });
}

/** Failures of which the file is innocent: another try may go well. */
const TEMPORARY = new Set<DocumentErrorCode>(['INTERNAL_ERROR', 'PROCESSING_TIMEOUT']);

/** Continues with a document that has the content of the file. */
async function resume(context: ImportContext, known: KnownDocument): Promise<LocalImport> {
  const { client, attributes, retries, isTrial, signal } = context;
  const { id: documentId, status, error } = known;
  if (!retries && status === 'failed' && error !== undefined && !TEMPORARY.has(error.code))
    return { outcome: 'failedBefore', documentId, error };
  const isChanged = attributes !== undefined && !isDeepStrictEqual(attributes, known.attributes ?? {});
  const isDone = status === 'processed';
  if (isTrial && isDone) return { outcome: isChanged ? 'updated' : 'unchanged', documentId };
  if (isTrial) return { outcome: 'retried', documentId };
  if (isChanged) await client.updateDocument({ documentId, attributes }, { signal });
  if (isDone) return { outcome: isChanged ? 'updated' : 'unchanged', documentId };
  if (status === 'failed' || status === 'timeout') await retry(context, documentId);
  return await waitFor(context, documentId, 'imported');
}

async function upload(
  { client, knowledgeBaseId, attributes, signal }: ImportContext,
  { path, externalId, bytes }: LocalFile,
): Promise<Document> {
  const facts = {
    knowledgeBaseId,
    fileName: basename(path),
    externalId,
    ifUnchanged: 'skip' as const,
    ...(attributes !== undefined && { attributes }),
  };
  const request = bytes === undefined ? { ...facts, file: path } : { ...facts, file: bytes };
  return await client.uploadFile(request, { signal });
}

/**
 * Imports a file. A file that the knowledge base has is not sent again; an import that was interrupted, or has failed
 * by no fault of the file, goes on.
 * @throws KnowledgeRetrievalError; an error of the file system
 */
export async function importLocalFile(context: ImportContext, file: LocalFile): Promise<LocalImport> {
  if (file.address !== undefined) return await importAddress(context, file.address, file.externalId);
  const known = await context.findKnown(file.externalId);
  if (known !== undefined && (await isSame(known, file))) return await resume(context, known);
  const outcome = known === undefined ? 'imported' : 'updated';
  if (context.isTrial) return { outcome };
  const document = await context.inTurn(() => upload(context, file));
  // A document that is not processed yet may come from this upload, whose first answer was lost.
  if (document.unchanged && document.status === 'processed')
    return { outcome: 'unchanged', documentId: document.id };
  return await waitFor(context, document.id, outcome);
}
