/** Uploads a file into a knowledge base as a public client does: ticket, raw PUT, import, poll. */
import type { OutgoingHttpHeaders } from 'node:http';
import { vi } from 'vitest';
import type { DocumentStatus, DocumentStatusReport, UploadTicket } from '../../../generated/types.gen.ts';
import { requireContract } from '../../../src/contract-check/requests/answer-contract.ts';
import type { Api } from '../../../src/contract-check/requests/api.ts';
import { type Answer, exchange } from '../../../src/contract-check/requests/exchange.ts';

export type SentFile = { knowledgeBaseId: string; fileName: string; bytes: Uint8Array };

/** Path and query of an upload address. */
export function pathOf(uploadUrl: string): string {
  const { pathname, search } = new URL(uploadUrl);
  return pathname + search;
}

/** PUTs the bytes with exactly these headers, never with a key. */
export async function upload(
  { uploadUrl }: Pick<UploadTicket, 'uploadUrl'>,
  body: string | Uint8Array,
  headers: OutgoingHttpHeaders = {},
): Promise<Answer> {
  const { origin } = new URL(uploadUrl);
  const answer = await exchange(origin, { method: 'PUT', path: pathOf(uploadUrl), headers, body });
  requireContract(undefined, answer);
  return answer;
}

/** Uploads the bytes with a ticket for exactly their size. Returns the ticket. */
export async function uploadFile(api: Api, { knowledgeBaseId, fileName, bytes }: SentFile) {
  const ticket = await api.presignUploadUrl({ knowledgeBaseId, fileName, size: bytes.byteLength });
  const { status, text } = await upload(ticket, bytes);
  if (status !== 200) throw new Error(`the upload was answered by ${status} ${text}`);
  return ticket;
}

/** Uploads a file and starts its import. Returns the document from the import's answer. */
export async function importBytes(api: Api, file: SentFile) {
  const { fileId } = await uploadFile(api, file);
  return await api.importFile(fileId);
}

/** The bytes of a text file. */
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Whether this status is final; the public clients test for exactly these. */
export const isFinal = (status: DocumentStatus): boolean =>
  ['processed', 'failed', 'timeout'].includes(status);

/** Waits until a document's status is final. Returns the report. */
export async function untilFinal(api: Api, documentId: string): Promise<DocumentStatusReport> {
  return await vi.waitUntil(
    async () => {
      const report = await api.getDocumentStatus(documentId);
      return isFinal(report.status) && report;
    },
    { timeout: 30_000, interval: 50 },
  );
}
