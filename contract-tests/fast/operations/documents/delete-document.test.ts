/** deleteDocument, status by status. */
import { expect, test } from 'vitest';
import { expectRefusal, expectSuccesses } from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes, untilFinal, upload, uploadFile } from '../../../harness/calls/uploading.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Deletions' });

const importText = (content: string) => api.importTextContent({ knowledgeBaseId, title: 'Note', content });

testPromises('deleteDocument');

test('200: scores are the same as before the import of the document', async () => {
  const { id } = await api.createKnowledgeBase({ name: 'Scores' });
  const search = () => api.query({ query: 'okapi forest', knowledgeBaseIds: [id] });
  await api.importTextContent({ knowledgeBaseId: id, title: 'a', content: 'The okapi lives in the forest.' });
  await api.importTextContent({ knowledgeBaseId: id, title: 'b', content: 'A forest has trees.' });
  const before = await search();
  const extra = await api.importTextContent({
    knowledgeBaseId: id,
    title: 'c',
    content: 'okapi okapi okapi',
  });
  expect(await search()).not.toEqual(before);
  await api.deleteDocument(extra.id);
  expect(await search()).toEqual(before);
});

test('200: a document of a file is deleted with its file, in every status', async () => {
  const { storageUsed } = await api.getUsage();
  const finished = await importBytes(api, {
    knowledgeBaseId,
    fileName: 'a.txt',
    bytes: bytesOf('finished aye-aye'),
  });
  expect((await untilFinal(api, finished.id)).status).toBe('processed');
  const failed = await importBytes(api, { knowledgeBaseId, fileName: 'b.txt', bytes: bytesOf('  ') });
  expect((await untilFinal(api, failed.id)).status).toBe('failed');
  const bytes = bytesOf('unfinished aye-aye '.repeat(20_000));
  const unfinished = await importBytes(api, { knowledgeBaseId, fileName: 'c.txt', bytes });
  for (const { id } of [finished, failed, unfinished]) await api.deleteDocument(id);

  expect((await api.getUsage()).storageUsed).toBe(storageUsed);
  expect(await api.query({ query: 'aye-aye', knowledgeBaseIds: [knowledgeBaseId] })).toEqual([]);
  // If the cancelled import still ran, it would end before this later one.
  const later = await importBytes(api, { knowledgeBaseId, fileName: 'd.txt', bytes: bytesOf('later') });
  await untilFinal(api, later.id);
  expect(await api.query({ query: 'aye-aye', knowledgeBaseIds: [knowledgeBaseId] })).toEqual([]);
  expectRefusal(await request('getDocumentStatus', { documentId: unfinished.id }), 404, 'DOCUMENT_NOT_FOUND');
});

test('200: the file of a deleted document cannot be imported or uploaded again', async () => {
  const ticket = await uploadFile(api, { knowledgeBaseId, fileName: 'a.txt', bytes: bytesOf('once') });
  const { id } = await api.importFile(ticket.fileId);
  await api.deleteDocument(id);
  expectRefusal(await request('importFile', { fileId: ticket.fileId }), 404, 'FILE_NOT_FOUND');
  expectRefusal(await upload(ticket, 'once'), 404, 'FILE_NOT_FOUND');
});

test('200: one of ten concurrent deletions succeeds, and the size is subtracted once', async () => {
  await importText('stays');
  const { storageUsed } = await api.getUsage();
  const { id: documentId } = await importText('contended');
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => request('deleteDocument', { documentId })),
  );
  expectSuccesses(answers, 1, { status: 404, errorCode: 'DOCUMENT_NOT_FOUND' });
  expect((await api.getUsage()).storageUsed).toBe(storageUsed);
});

test('404 DOCUMENT_NOT_FOUND: a malformed id of legal length', async () => {
  const { id } = await importText('Stays where it is.');
  const malformed = [
    'x',
    id.toUpperCase(),
    ` ${id}`,
    `${id} `,
    `${id}_1`,
    id.slice(0, -1),
    id.slice(37),
    knowledgeBaseId,
  ];
  for (const documentId of malformed) {
    expectRefusal(await request('deleteDocument', { documentId }), 404, 'DOCUMENT_NOT_FOUND');
  }
  expect((await api.getDocumentStatus(id)).status).toBe('processed');
});
