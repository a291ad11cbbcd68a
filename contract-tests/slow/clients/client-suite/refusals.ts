/** Checks of refusals, which every client may rely on: one errorCode, one status, one form. */
import { expect } from 'vitest';
import * as sdk from '../../../../generated/sdk.gen.ts';
import type { ErrorCode } from '../../../../generated/types.gen.ts';
import { createWorkspace } from './checks.ts';
import { refusal, type Target } from './target.ts';

const count = expect.any(Number);

const refused = (status: number, errorCode: ErrorCode, data: object = {}) => ({
  status,
  success: false,
  errorCode,
  message: expect.stringMatching(/./),
  data: expect.objectContaining(data),
});

/** It has a legal length, but not the form of an id. */
const IMPOSSIBLE_ID = '!'.repeat(36);

async function unauthorized({ arrange }: Target) {
  const { client, knowledgeBaseId } = await arrange('UNAUTHORIZED');
  const expected = refused(401, 'UNAUTHORIZED');
  expect(await refusal(sdk.getUsage({ client }))).toEqual(expected);
  expect(await refusal(sdk.query({ client, body: { query: 'restart' } }))).toEqual(expected);
  expect(await refusal(sdk.listDocuments({ client, query: { knowledgeBaseId } }))).toEqual(expected);
}

async function insufficientCredits({ arrange }: Target) {
  const { client } = await arrange('INSUFFICIENT_CREDITS');
  const answer = await refusal(sdk.query({ client, body: { query: 'restart' } }));
  expect(answer).toEqual(refused(402, 'INSUFFICIENT_CREDITS'));
}

async function storageLimit({ arrange }: Target) {
  const { client, knowledgeBaseId } = await arrange('STORAGE_LIMIT_EXCEEDED');
  const expected = refused(403, 'STORAGE_LIMIT_EXCEEDED', { limit: count, used: count, requested: count });
  const text = { knowledgeBaseId, title: 'Notes', content: 'More than fits.' };
  expect(await refusal(sdk.importTextContent({ client, body: text }))).toEqual(expected);
  const file = { knowledgeBaseId, fileName: 'notes.txt', size: 1000 };
  expect(await refusal(sdk.presignUploadUrl({ client, body: file }))).toEqual(expected);
}

async function knowledgeBaseLimit({ arrange }: Target) {
  const { client } = await arrange('KNOWLEDGE_BASE_LIMIT_EXCEEDED');
  const answer = await refusal(sdk.createKnowledgeBase({ client, body: { name: 'One too many' } }));
  expect(answer).toEqual(refused(403, 'KNOWLEDGE_BASE_LIMIT_EXCEEDED', { limit: count, used: count }));
}

async function keyNotPermitted({ arrange, client: owner }: Target) {
  await createWorkspace(owner);
  const { client, knowledgeBaseId } = await arrange('KEY_NOT_PERMITTED');
  const expected = refused(403, 'KEY_NOT_PERMITTED');
  expect(await refusal(sdk.deleteKnowledgeBase({ client, body: { knowledgeBaseId } }))).toEqual(expected);
  const body = { knowledgeBaseId, name: 'Renamed' };
  expect(await refusal(sdk.updateKnowledgeBase({ client, body }))).toEqual(expected);
}

async function fileNotUploaded({ arrange }: Target) {
  const { client, fileId = expect.fail('no ticket') } = await arrange('FILE_NOT_UPLOADED');
  const answer = await refusal(sdk.importFile({ client, body: { fileId } }));
  expect(answer).toEqual(refused(409, 'FILE_NOT_UPLOADED'));
}

async function notFound({ client }: Target) {
  const [knowledgeBaseId, documentId] = [IMPOSSIBLE_ID, IMPOSSIBLE_ID];
  const text = { knowledgeBaseId, title: 'Notes', content: 'Nowhere to go.' };
  for (const call of [
    sdk.listDocuments({ client, query: { knowledgeBaseId } }),
    sdk.deleteKnowledgeBase({ client, body: { knowledgeBaseId } }),
    sdk.getKnowledgeBase({ client, query: { knowledgeBaseId } }),
    sdk.updateKnowledgeBase({ client, body: { knowledgeBaseId, name: 'Nowhere' } }),
    sdk.getSynonyms({ client, query: { knowledgeBaseId } }),
    sdk.listAttributes({ client, query: { knowledgeBaseId } }),
    sdk.setSynonyms({ client, body: { knowledgeBaseId, groups: [] } }),
    sdk.importTextContent({ client, body: text }),
    sdk.presignUploadUrl({ client, body: { knowledgeBaseId, fileName: 'notes.txt', size: 9 } }),
    sdk.uploadFile({ client, query: { knowledgeBaseId, fileName: 'notes.txt' }, body: new Blob(['a note']) }),
    sdk.query({ client, body: { query: 'restart', knowledgeBaseIds: [knowledgeBaseId] } }),
  ])
    expect(await refusal<{ errorCode: ErrorCode }>(call)).toEqual(refused(404, 'KNOWLEDGE_BASE_NOT_FOUND'));
  for (const call of [
    sdk.getDocument({ client, query: { documentId } }),
    sdk.getDocumentStatus({ client, query: { documentId } }),
    sdk.listPassages({ client, query: { documentId } }),
    sdk.getDocumentContent({ client, query: { documentId } }),
    sdk.presignDownloadUrl({ client, query: { documentId } }),
    sdk.updateDocument({ client, body: { documentId, title: 'Nowhere' } }),
    sdk.retryDocument({ client, body: { documentId } }),
    sdk.deleteDocument({ client, body: { documentId } }),
  ])
    expect(await refusal<{ errorCode: ErrorCode }>(call)).toEqual(refused(404, 'DOCUMENT_NOT_FOUND'));
  const file = await refusal(sdk.importFile({ client, body: { fileId: IMPOSSIBLE_ID } }));
  expect(file).toEqual(refused(404, 'FILE_NOT_FOUND'));
}

async function foreignCursor({ client }: Target) {
  const { knowledgeBaseId } = await createWorkspace(client);
  const fieldErrors = { cursor: [expect.any(String)] };
  const expected = refused(422, 'INPUT_VALIDATION_FAILED', { formErrors: [], fieldErrors });
  const cursor = 'bm90IG9uZSBvZiB0aGVzZQ';
  expect(await refusal(sdk.listKnowledgeBases({ client, query: { cursor } }))).toEqual(expected);
  const query = { knowledgeBaseId, cursor };
  expect(await refusal(sdk.listDocuments({ client, query }))).toEqual(expected);
}

/** The checks by their test titles. */
export const REFUSALS: Record<string, (target: Target) => Promise<void>> = {
  '401 UNAUTHORIZED, without a valid key': unauthorized,
  '402 INSUFFICIENT_CREDITS, without credits': insufficientCredits,
  '403 STORAGE_LIMIT_EXCEEDED, with the numbers': storageLimit,
  '403 KNOWLEDGE_BASE_LIMIT_EXCEEDED, with the numbers': knowledgeBaseLimit,
  '403 KEY_NOT_PERMITTED, with a key that may only search': keyNotPermitted,
  '409 FILE_NOT_UPLOADED, before the upload': fileNotUploaded,
  '404, with the errorCode of the kind of id': notFound,
  '422 INPUT_VALIDATION_FAILED, naming the field': foreignCursor,
};
