/** What the successes of the uploading operations promise. */
import assert from 'node:assert/strict';
import type { Document, UploadTicket } from '../../generated/types.gen.ts';
import {
  dataOf,
  makeKnowledgeBase,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../dredd/planned-request.ts';
import { requireContract } from '../harness/contract-check.ts';

/** Sends the bytes to an address that need not be the service's own; answers of its own keep to the envelope. */
async function put(
  { target }: RunContext,
  { uploadUrl }: Pick<UploadTicket, 'uploadUrl'>,
  bytes: Uint8Array,
) {
  const answer = await fetch(uploadUrl, { method: 'PUT', body: bytes });
  const text = await answer.text();
  if (uploadUrl.startsWith(target.address)) {
    const headers = Object.fromEntries(answer.headers);
    requireContract(undefined, { status: answer.status, headers, text, body: JSON.parse(text) });
  }
  return answer.status;
}

/** A file whose bytes have arrived for a knowledge base of its own. */
export async function uploadBytes(context: RunContext, bytes: Uint8Array) {
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const file = { knowledgeBaseId, fileName: 'gauge.txt', size: bytes.byteLength };
  const ticket = await context.caller.api.presignUploadUrl(file);
  assert.equal(await put(context, ticket, bytes), 200, 'a PUT of the declared bytes to uploadUrl is taken');
  return { fileId: ticket.fileId, knowledgeBaseId };
}

const utf8 = (text: string) => new TextEncoder().encode(text);

export async function presignUploadUrl(context: RunContext): Promise<PlannedRequest> {
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const sentAt = Date.now();
  return {
    sent: requestWith(context, 'presignUploadUrl', { knowledgeBaseId, size: 5 }),
    async check(answer) {
      const ticket = dataOf<UploadTicket>(answer);
      assert.ok(Date.parse(ticket.expiresAt) > sentAt, 'the ticket expires in the future');
      assert.notEqual(
        await put(context, ticket, utf8('other length')),
        200,
        'another length than declared is refused',
      );
      assert.equal(await put(context, ticket, utf8('first')), 200, 'the declared length is taken');
      assert.equal(await put(context, ticket, utf8('again')), 200, 'and may be sent again until the import');
    },
  };
}

/** Longer than an answer to getDocumentStatus may wait, so that a small file has been read by then. */
const WAIT_SECONDS = 30;

export async function importFile(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const bytes = utf8('The gauge of the quayside crane is read at dawn — 知識.');
  const { fileId, knowledgeBaseId } = await uploadBytes(context, bytes);
  return {
    sent: requestWith(context, 'importFile', { fileId }),
    async check(answer) {
      const document = dataOf<Document>(answer);
      const { id } = document;
      const { title, type, size } = document;
      const expected = { title: 'gauge.txt', type: 'txt', size: bytes.byteLength, knowledgeBaseId };
      assert.deepEqual(
        { title, type, size, knowledgeBaseId: document.knowledgeBaseId },
        expected,
        'a file has its name, its type and its size',
      );
      assert.equal(
        (await api.importFile(fileId)).id,
        id,
        'the same file is the same document, however often',
      );
      const { status } = await api.getDocumentStatus(id, WAIT_SECONDS);
      assert.equal(status, 'processed', 'with waitSeconds the answer comes with the final status');
      const found = await api.query({ query: 'quayside crane', knowledgeBaseIds: [knowledgeBaseId] });
      assert.equal(found[0]?.document_id, id, 'a processed file is found');
      assert.equal((await api.getDocument(id)).file?.id, fileId, 'the document names its file');
    },
  };
}
