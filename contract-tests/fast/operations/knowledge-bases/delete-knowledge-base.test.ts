/** deleteKnowledgeBase, status by status. */
import { expect, test } from 'vitest';
import { expectRefusal, expectSuccesses } from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes, untilFinal, upload, uploadFile } from '../../../harness/calls/uploading.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;

/** A knowledge base with one text in it. */
async function fill(content: string) {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'To be deleted' });
  const document = await api.importTextContent({ knowledgeBaseId, title: 'Note', content });
  return { knowledgeBaseId, document };
}

testPromises('deleteKnowledgeBase');

test('200: deletes its upload tickets, uploaded files and running imports', async () => {
  const { knowledgeBaseId } = await fill('with files');
  const open = await api.presignUploadUrl({ knowledgeBaseId, fileName: 'open.txt', size: 4 });
  const bytes = bytesOf('zorilla '.repeat(50_000));
  const arrived = await uploadFile(api, { knowledgeBaseId, fileName: 'arrived.txt', bytes });
  const running = await importBytes(api, { knowledgeBaseId, fileName: 'running.txt', bytes });
  await api.deleteKnowledgeBase(knowledgeBaseId);
  expectRefusal(await upload(open, 'late'), 404, 'FILE_NOT_FOUND');
  expectRefusal(await upload(arrived, bytes), 404, 'FILE_NOT_FOUND');
  for (const fileId of [open.fileId, arrived.fileId]) {
    expectRefusal(await request('importFile', { fileId }), 404, 'FILE_NOT_FOUND');
  }
  const status = await request('getDocumentStatus', { documentId: running.id });
  expectRefusal(status, 404, 'DOCUMENT_NOT_FOUND');

  // If the cancelled import still ran, it would end before this later one in another knowledge base.
  const { knowledgeBaseId: other } = await fill('other');
  const later = await importBytes(api, {
    knowledgeBaseId: other,
    fileName: 'later.txt',
    bytes: bytesOf('later'),
  });
  await untilFinal(api, later.id);
  expect(await api.query({ query: 'zorilla' })).toEqual([]);
});

test('200: one of ten concurrent deletions succeeds', async () => {
  const { knowledgeBaseId } = await fill('contended');
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => request('deleteKnowledgeBase', { knowledgeBaseId })),
  );
  expectSuccesses(answers, 1, { status: 404, errorCode: 'KNOWLEDGE_BASE_NOT_FOUND' });
});

test('200: a deletion during imports leaves nothing, whichever comes first', async () => {
  const before = await api.getUsage();
  const { knowledgeBaseId } = await fill('contended');
  const imports = Array.from({ length: 8 }, () =>
    request('importTextContent', { knowledgeBaseId, title: 'Late', content: 'numbat' }),
  );
  const deletion = api.deleteKnowledgeBase(knowledgeBaseId);
  const statuses = (await Promise.all(imports)).map(({ status }) => status);
  await deletion;
  expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([]);
  expect(await api.getUsage()).toEqual(before);
  expect(await api.query({ query: 'numbat' })).toEqual([]);
});

test.each([
  'x'.repeat(36),
  ' '.repeat(36),
  '%'.repeat(36),
  '../'.repeat(12),
  '0199F3A2-6B1C-7D4E-8F50-2A9B3C4D5E6F',
  '{199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6}',
  '😀'.repeat(36),
])('404 KNOWLEDGE_BASE_NOT_FOUND: the malformed id %j', async (knowledgeBaseId) => {
  const answer = await request('deleteKnowledgeBase', { knowledgeBaseId });
  expectRefusal(answer, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});
