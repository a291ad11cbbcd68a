/** Checks the successful answers of presignUploadUrl, importFile, uploadFile, importUrl and presignDownloadUrl. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Document, DownloadTicket, UploadTicket } from '../../../generated/types.gen.ts';
import {
  dataOf,
  makeKnowledgeBase,
  type PlannedRequest,
  type RunContext,
  requestWith,
} from '../planning/planned-request.ts';
import { SENT_BYTES } from '../requests/calling.ts';
import { inTime, put, uploadBytes, WAIT_SECONDS } from './upload-bytes.ts';

export async function presignUploadUrl(context: RunContext): Promise<PlannedRequest> {
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const sentAt = Date.now();
  return {
    sent: requestWith(context, 'presignUploadUrl', { knowledgeBaseId, size: 5 }),
    async check(answer) {
      const ticket = dataOf<UploadTicket>(answer);
      assert.ok(Date.parse(ticket.expiresAt) > sentAt, 'the ticket expires in the future');
      assert.notEqual(
        await put(context, ticket, Buffer.from('other length')),
        200,
        'a body of another length than declared is refused',
      );
      assert.equal(
        await put(context, ticket, Buffer.from('first')),
        200,
        'a body of the declared length is accepted',
      );
      assert.equal(
        await put(context, ticket, Buffer.from('again')),
        200,
        'the body may be sent again until the import',
      );
    },
  };
}

export async function importFile(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const bytes = Buffer.from('The gauge of the quayside crane is read at dawn — 知識.');
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
        'the document has the name, type and size of the file',
      );
      assert.equal(
        (await api.importFile(fileId)).id,
        id,
        'another import of the file returns the same document',
      );
      const { status } = await api.getDocumentStatus(id, WAIT_SECONDS);
      assert.equal(status, 'processed', 'with waitSeconds the answer has the final status');
      const found = await api.query({ query: 'quayside crane', knowledgeBaseIds: [knowledgeBaseId] });
      assert.equal(found[0]?.document_id, id, 'the search finds a processed file');
      assert.equal((await api.getDocument(id)).file?.id, fileId, 'the document names its file');
    },
  };
}

export async function uploadFile(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const [fileName, attributes] = ['gauge.txt', { crane: 'quayside', year: 2026 }];
  return {
    sent: requestWith(context, 'uploadFile', { knowledgeBaseId, fileName, attributes }),
    async check(answer) {
      const document = dataOf<Document>(answer);
      const { id, title, type, size } = document;
      assert.deepEqual(
        { title, type, size, attributes: document.attributes, knowledgeBaseId: document.knowledgeBaseId },
        { title: fileName, type: 'txt', size: SENT_BYTES.length, attributes, knowledgeBaseId },
        'the document has the name, type and size of the file, and the given attributes',
      );
      const { status } = await api.getDocumentStatus(id, WAIT_SECONDS);
      assert.equal(status, 'processed', 'the file is processed without a further request');
      const found = await api.query({ query: 'quayside crane', knowledgeBaseIds: [knowledgeBaseId] });
      assert.deepEqual(
        found.map(({ document_id, content }) => [document_id, content]),
        [[id, SENT_BYTES]],
        'the search finds the bytes as they were sent',
      );
      const { file } = await api.getDocument(id);
      const sha256 = createHash('sha256').update(SENT_BYTES).digest('hex');
      assert.equal(file?.sha256, sha256, 'the details have the hash of the bytes');
    },
  };
}

/** A name that belongs to no server (RFC 2606): the check opens no address of a stranger. */
const ADDRESS = 'https://knowledge-retrieval.invalid/manuals/gauge.txt?edition=2';

export async function importUrl(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id: knowledgeBaseId } = await makeKnowledgeBase(context);
  const attributes = { crane: 'quayside', year: 2026 };
  return {
    sent: requestWith(context, 'importUrl', { knowledgeBaseId, url: ADDRESS, attributes }),
    async check(answer) {
      const { id, title, type, size, status, sourceUrl, externalId, ...others } = dataOf<Document>(answer);
      assert.deepEqual(
        { title, type, size, status, attributes: others.attributes, knowledgeBaseId: others.knowledgeBaseId },
        { title: 'gauge.txt', type: 'txt', size: 0, status: 'pending', attributes, knowledgeBaseId },
        'the document has the name at the end of the address, and the given attributes',
      );
      assert.deepEqual([sourceUrl, externalId], [ADDRESS, ADDRESS], 'the address is its source and its id');
      const { data } = await api.listDocuments({ knowledgeBaseId, externalId: ADDRESS });
      assert.deepEqual(
        data.map((document) => document.id),
        [id],
        'the document is listed by its address',
      );
    },
  };
}

export async function presignDownloadUrl(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const bytes = Buffer.from('The gauge of the quayside crane is read at dawn — 知識.');
  const { fileId } = await uploadBytes(context, bytes);
  const { id: documentId } = await api.importFile(fileId);
  await api.getDocumentStatus(documentId, WAIT_SECONDS);
  const askedAt = Date.now();
  return {
    sent: requestWith(context, 'presignDownloadUrl', { documentId }),
    async check(answer) {
      const { downloadUrl, expiresAt, ...described } = dataOf<DownloadTicket>(answer);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      assert.deepEqual(
        described,
        { fileId, fileName: 'gauge.txt', mimeType: 'text/plain', size: bytes.byteLength, sha256 },
        'the answer describes the file that was uploaded',
      );
      assert.ok(Date.parse(expiresAt) > askedAt, 'the address expires in the future');
      const file = await fetch(downloadUrl, { signal: inTime() });
      assert.equal(file.status, 200, 'a GET without a key succeeds');
      const received = new Uint8Array(await file.arrayBuffer());
      assert.ok(Buffer.from(bytes).equals(received), 'it returns the bytes that were uploaded');
      assert.equal(file.headers.get('content-type'), 'text/plain', 'it has the announced type');
      assert.match(
        file.headers.get('content-disposition') ?? '',
        /^attachment; filename="?gauge\.txt/,
        'browsers save it under the name of the file',
      );
      const part = await fetch(downloadUrl, { headers: { range: 'bytes=4-8' }, signal: inTime() });
      assert.deepEqual([part.status, await part.text()], [206, 'gauge'], 'it returns a requested part');
    },
  };
}
