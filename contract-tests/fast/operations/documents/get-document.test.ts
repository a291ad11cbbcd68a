/** getDocument, status by status. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { UNKNOWN_DOCUMENT_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { expectRefusedFields, expectSameRefusal } from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes, uploadFile } from '../../../harness/calls/uploading.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Details' });

testPromises('getDocument');

test('200: the languages of a text, the most frequent first', async () => {
  const english = 'The bandicoot digs in the soft soil of the forest at night and eats insects and roots. ';
  const german = 'Der Nasenbeutler gräbt nachts im weichen Boden des Waldes und frisst Käfer und Wurzeln. ';
  const content = `${english.repeat(40)}\n\n# Deutsch\n\n${german.repeat(20)}`;
  const document = await api.importTextContent({ knowledgeBaseId, title: 'Bandicoots', content });
  const { languages = [] } = await api.getDocument(document.id);
  expect(languages.map(({ language }) => language)).toEqual(['english', 'german']);
  const counts = languages.map(({ passageCount }) => passageCount);
  expect(counts).toEqual(counts.toSorted((left, right) => (right ?? 0) - (left ?? 0)));
});

test('200: a file with its id and the hash of its bytes, before and after its import has ended', async () => {
  const bytes = bytesOf('The bettong carries straw with its tail.');
  const { fileId } = await uploadFile(api, { knowledgeBaseId, fileName: 'bettong.txt', bytes });
  const pending = await api.importFile(fileId);
  const file = { id: fileId, sha256: createHash('sha256').update(bytes).digest('hex') };
  expect((await api.getDocument(pending.id)).file).toMatchObject(file);
  const report = await api.getDocumentStatus(pending.id, 30);
  const details = await api.getDocument(pending.id);
  expect(details).toMatchObject({ ...report, source: 'bettong.txt', title: 'bettong.txt', file });
  expect(Date.parse(details.file?.uploadedAt ?? '')).toBeLessThanOrEqual(Date.parse(details.createdAt));
});

test('200: a failed file with its reason, and no languages', async () => {
  const { id } = await importBytes(api, { knowledgeBaseId, fileName: 'blank.txt', bytes: bytesOf(' ') });
  const report = await api.getDocumentStatus(id, 30);
  expect(await api.getDocument(id)).toMatchObject({
    ...report,
    error: { code: 'NO_TEXT_EXTRACTED' },
    languages: [],
  });
});

test('404 DOCUMENT_NOT_FOUND: the same bytes for an unknown, malformed and deleted document', async () => {
  const { id: deleted } = await api.importTextContent({ knowledgeBaseId, title: 'a', content: 'b' });
  await api.deleteDocument(deleted);
  const ids = [UNKNOWN_DOCUMENT_ID, deleted, 'x', '😀'.repeat(128), knowledgeBaseId];
  const answers = await Promise.all(ids.map((documentId) => request('getDocument', { documentId })));
  expectSameRefusal(answers, 404, 'DOCUMENT_NOT_FOUND');
});

test('422 INPUT_VALIDATION_FAILED: an empty id, U+0000, and an id that is given twice', async () => {
  for (const query of ['documentId=', 'documentId=a%00b', 'documentId=a&documentId=b']) {
    expectRefusedFields(await request('getDocument', query), 'documentId');
  }
});
