/** Imports of files whose jobs nobody runs, so that each test says itself when. */
import { parseDocumentId } from '../ids.ts';
import type { TestService } from './test-service.ts';

/** What of a service has to be changed for it. */
export const unattended = () => ({
  jobs: { enqueueImport: async () => {}, wakeImporters() {}, enqueuePurge: async () => {} },
});

/** Uploads and imports a file; gives the pending document's id. */
export async function importUnattended(
  { call }: TestService,
  { content, ...file }: { knowledgeBaseId: string; fileName: string; content: string | Buffer },
): Promise<string> {
  const { body: ticket } = await call('presignUploadUrl', { ...file, size: Buffer.byteLength(content) });
  await fetch(String(ticket.data.uploadUrl), { method: 'PUT', body: content });
  const { body } = await call('importFile', { fileId: ticket.data.fileId });
  return String(body.data.id);
}

/** What a worker gets for a document's import. */
export const attempt = (documentId: string) => ({
  payload: parseDocumentId(documentId),
  signal: new AbortController().signal,
});

/** A document's report. */
export const readStatus = async ({ call }: TestService, documentId: string) =>
  (await call(`getDocumentStatus?documentId=${documentId}`)).body.data;
