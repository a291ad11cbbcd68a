/** retryDocument, status by status. */
import { expect, test } from 'vitest';
import { UNKNOWN_DOCUMENT_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectSameRefusal,
} from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes, untilFinal } from '../../../harness/calls/uploading.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Retried' });
const importFile = (text: string) =>
  importBytes(api, { knowledgeBaseId, fileName: 'notes.txt', bytes: bytesOf(text) });

testPromises('retryDocument');

test('200: a failed file is read again, and ends with its reason again; it counts once', async () => {
  const { id: documentId } = await importFile(' ');
  const failed = await untilFinal(api, documentId);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'NO_TEXT_EXTRACTED' } });
  const usage = await api.getUsage();
  const retried = await api.retryDocument(documentId);
  expect(retried).toMatchObject({ id: documentId, status: 'pending', passageCount: 0, warnings: [] });
  expect(retried).not.toHaveProperty('error');
  expect(Date.parse(retried.updatedAt ?? '')).toBeGreaterThan(Date.parse(failed.updatedAt ?? ''));
  const again = await untilFinal(api, documentId);
  expect(again).toMatchObject({ status: 'failed', error: failed.error });
  expect(await api.getUsage()).toEqual(usage);
});

test('409 DOCUMENT_NOT_RETRYABLE: a processed file, a text, and a failed text; nothing is changed', async () => {
  const file = await importFile('Some words.');
  await untilFinal(api, file.id);
  const text = await api.importTextContent({ knowledgeBaseId, title: 'a', content: 'b' });
  const blank = await api.importTextContent({ knowledgeBaseId, title: 'a', content: '\u0001' });
  expect(blank.status).toBe('failed');
  await expectNothingChanged(account, async () => {
    for (const { id } of [file, text, blank])
      expectRefusal(await request('retryDocument', { documentId: id }), 409, 'DOCUMENT_NOT_RETRYABLE');
  });
});

test('409 DOCUMENT_NOT_RETRYABLE: of concurrent requests, one puts the file into the queue', async () => {
  const { id: documentId } = await importFile('\n');
  await untilFinal(api, documentId);
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => request('retryDocument', { documentId })),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
  expect(new Set(statuses)).toEqual(new Set([200, 409]));
  expect((await untilFinal(api, documentId)).status).toBe('failed');
});

test('404 DOCUMENT_NOT_FOUND: the same bytes for an unknown, malformed and deleted document', async () => {
  const { id: deleted } = await importFile(' ');
  await untilFinal(api, deleted);
  await api.deleteDocument(deleted);
  const ids = [UNKNOWN_DOCUMENT_ID, 'x', '😀'.repeat(128), deleted, knowledgeBaseId];
  const answers = await Promise.all(ids.map((documentId) => request('retryDocument', { documentId })));
  expectSameRefusal(answers, 404, 'DOCUMENT_NOT_FOUND');
});
