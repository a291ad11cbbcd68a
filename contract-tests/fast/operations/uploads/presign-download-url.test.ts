/** presignDownloadUrl, status by status; download.test.ts tests the download address itself. */
import { createHash } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { UNKNOWN_DOCUMENT_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { download } from '../../../harness/calls/downloading.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
  expectSameRefusal,
} from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes, untilFinal } from '../../../harness/calls/uploading.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Downloads' });

/** Imports the text as a file, and waits for the end of the import. */
async function importFile(fileName: string, text: string) {
  const { id } = await importBytes(api, { knowledgeBaseId, fileName, bytes: bytesOf(text) });
  await untilFinal(api, id);
  return id;
}

const NOTE = 'A note about the numbat.';
const documentId = await importFile('numbat.md', NOTE);

testPromises('presignDownloadUrl');

test('200: an address of this service for five minutes, and the facts about the file', async () => {
  const before = Date.now();
  const { downloadUrl, expiresAt, ...described } = await api.presignDownloadUrl(documentId);
  const { file } = await api.getDocument(documentId);
  expect(described).toEqual({
    fileId: file?.id,
    fileName: 'numbat.md',
    mimeType: 'text/markdown',
    size: NOTE.length,
    sha256: createHash('sha256').update(NOTE).digest('hex'),
  });
  expect(new URL(downloadUrl).origin).toBe(inject('address'));
  const lifetime = Date.parse(expiresAt) - before;
  expect(lifetime).toBeGreaterThanOrEqual(300_000);
  expect(lifetime).toBeLessThan(360_000);
});

test('200: the address has the Host of the request, so that it works behind a proxy', async () => {
  const host = `localhost:${new URL(inject('address')).port}`;
  const answer = await request('presignDownloadUrl', { documentId }, { host });
  const { downloadUrl } = (answer.body as { data: { downloadUrl: string } }).data; // checked by the spec
  expect(new URL(downloadUrl).host).toBe(host);
  expect((await download({ downloadUrl })).text).toBe(NOTE);
});

test('200: nothing changes, and each address has a signature of its own', async () => {
  await expectNothingChanged(account, async () => {
    const other = await importFile('other.md', 'Another note.');
    const urls = [await api.presignDownloadUrl(documentId), await api.presignDownloadUrl(other)];
    expect(
      new Set(urls.map(({ downloadUrl }) => new URL(downloadUrl).searchParams.get('signature'))).size,
    ).toBe(2);
    await api.deleteDocument(other);
  });
});

test('200: a file whose import has failed, and one that waits, have their original too', async () => {
  const failed = await importFile('blank.txt', ' \n ');
  expect((await api.getDocument(failed)).status).toBe('failed');
  expect((await download(await api.presignDownloadUrl(failed))).text).toBe(' \n ');
  const waiting = await importBytes(api, { knowledgeBaseId, fileName: 'a.txt', bytes: bytesOf('Soon.') });
  expect((await download(await api.presignDownloadUrl(waiting.id))).text).toBe('Soon.');
  await untilFinal(api, waiting.id);
});

test('409 DOCUMENT_HAS_NO_FILE: imported text; the message says where its text is', async () => {
  const { id } = await api.importTextContent({ knowledgeBaseId, title: 'a', content: 'A text.' });
  const answer = await request('presignDownloadUrl', { documentId: id });
  expectRefusal(answer, 409, 'DOCUMENT_HAS_NO_FILE');
  expect(answer.text).toContain('getDocumentContent');
});

test('404 DOCUMENT_NOT_FOUND: the same bytes for an unknown, malformed and deleted document', async () => {
  const deleted = await importFile('deleted.txt', 'Deleted.');
  await api.deleteDocument(deleted);
  const { file } = await api.getDocument(documentId);
  const ids = [UNKNOWN_DOCUMENT_ID, 'x', '😀'.repeat(128), deleted, knowledgeBaseId, file?.id];
  const answers = await Promise.all(ids.map((id) => request('presignDownloadUrl', { documentId: id })));
  expectSameRefusal(answers, 404, 'DOCUMENT_NOT_FOUND');
});

test('422 INPUT_VALIDATION_FAILED: every wrong parameter is named at once', async () => {
  const answer = await request('presignDownloadUrl', 'documentId=&format=pdf');
  expectRefusedFields(answer, 'documentId', 'format');
});
