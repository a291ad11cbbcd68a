/** importFile, status by status; fast/protocol/expired-upload.test.ts has the 410. */
import { expect, test } from 'vitest';
import { UNKNOWN_DOCUMENT_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
  expectSameRefusal,
} from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, untilFinal, upload, uploadFile } from '../../../harness/calls/uploading.ts';
import { createInParallel } from '../../../harness/create-in-parallel.ts';
import { testPromises } from '../../../harness/promises.ts';
import { changeAccount, openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Files' });
const file = (text: string) => ({ knowledgeBaseId, fileName: 'note.txt', bytes: bytesOf(text) });

testPromises('importFile');

test('200: returns the pending document of the file, and the list shows it', async () => {
  const { fileId } = await uploadFile(api, file('The fossa climbs.'));
  const document = await api.importFile(fileId);
  expect(document).toMatchObject({
    title: 'note.txt',
    type: 'txt',
    size: 17,
    status: 'pending',
    knowledgeBaseId,
  });
  expect(document.id).toMatch(/^[\w-]{1,128}$/);
  const { data } = await api.listDocuments({ knowledgeBaseId, limit: 1 });
  expect(data).toMatchObject([
    { id: document.id, title: 'note.txt', size: 17, createdAt: document.createdAt },
  ]);
});

test('200: further imports of a file return the same document, at once and later; it counts once', async () => {
  const { storageUsed } = await api.getUsage();
  const { fileId } = await uploadFile(api, file('once and again'));
  const documents = await createInParallel(10, () => api.importFile(fileId));
  expect(new Set(documents.map(({ id }) => id)).size).toBe(1);
  const [first] = documents;
  expect((await untilFinal(api, first?.id ?? '')).status).toBe('processed');
  expect(await api.importFile(fileId)).toMatchObject({
    id: first?.id,
    status: 'processed',
    createdAt: first?.createdAt,
  });
  expect((await api.getUsage()).storageUsed).toBe(storageUsed + 14);
  const found = await api.query({ query: 'once again', knowledgeBaseIds: [knowledgeBaseId] });
  expect(found.filter((result) => result.document_id === first?.id)).toHaveLength(1);
});

test('200: two uploads of the same bytes are two documents', async () => {
  const [first, second] = [await uploadFile(api, file('twins')), await uploadFile(api, file('twins'))];
  const ids = [(await api.importFile(first.fileId)).id, (await api.importFile(second.fileId)).id];
  expect(new Set(ids).size).toBe(2);
});

test('403 STORAGE_LIMIT_EXCEEDED: if the limit was lowered after the ticket; nothing is imported', async () => {
  const limited = await openAccount({ storageLimitBytes: 20 });
  const { id } = await limited.api.createKnowledgeBase({ name: 'Shrinking' });
  const { fileId } = await uploadFile(limited.api, { ...file('0123456789'), knowledgeBaseId: id });
  await changeAccount(limited, { storageLimitBytes: 9 });
  await expectNothingChanged(limited, async () => {
    const answer = await limited.request('importFile', { fileId });
    expectRefusal(answer, 403, 'STORAGE_LIMIT_EXCEEDED');
    expect(answer.body).toMatchObject({ data: { limit: 9, used: 0, requested: 10 } });
  });
  await changeAccount(limited, { storageLimitBytes: 10 });
  const document = await limited.api.importFile(fileId);
  await changeAccount(limited, { storageLimitBytes: 0 });
  expect((await limited.api.importFile(fileId)).id).toBe(document.id);
});

test('404 FILE_NOT_FOUND: the same bytes for unknown ids, malformed ids, and ids of no file', async () => {
  const { id: documentId } = await api.importTextContent({ knowledgeBaseId, title: 'a', content: 'b' });
  const ids = [UNKNOWN_DOCUMENT_ID, 'x', '../../etc/passwd', '😀'.repeat(128), documentId, knowledgeBaseId];
  const answers = await Promise.all(ids.map((fileId) => request('importFile', { fileId })));
  expectSameRefusal(answers, 404, 'FILE_NOT_FOUND');
});

test('409 FILE_NOT_UPLOADED: before the bytes have arrived; the ticket stays valid', async () => {
  const own = await openAccount(); // in which no file of another test is being processed
  const { id } = await own.api.createKnowledgeBase({ name: 'Late' });
  const ticket = await own.api.presignUploadUrl({ knowledgeBaseId: id, fileName: 'late.txt', size: 4 });
  const importFile = () => own.request('importFile', { fileId: ticket.fileId });
  await expectNothingChanged(own, async () => {
    expectRefusal(await importFile(), 409, 'FILE_NOT_UPLOADED');
    await upload(ticket, 'too long');
    expectRefusal(await importFile(), 409, 'FILE_NOT_UPLOADED');
  });
  await upload(ticket, 'late');
  expect((await own.api.importFile(ticket.fileId)).size).toBe(4);
});

test('422 INPUT_VALIDATION_FAILED: values of another type are not converted', async () => {
  for (const fileId of [null, 5, true, [UNKNOWN_DOCUMENT_ID], {}]) {
    expectRefusedFields(await request('importFile', { fileId }), 'fileId');
  }
});
