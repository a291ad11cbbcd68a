/** getDocumentStatus, status by status. */
import { expect, test, vi } from 'vitest';
import type { DocumentStatus } from '../../../../generated/types.gen.ts';
import { UNKNOWN_DOCUMENT_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import {
  expectRefusal,
  expectRefusedFields,
  expectSameRefusal,
} from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes, isFinal, untilFinal } from '../../../harness/calls/uploading.ts';
import { smallPdf } from '../../../harness/documents/small-pdf.ts';
import { isAtOnce } from '../../../harness/machine/order.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Statuses' });

testPromises('getDocumentStatus');

test('200: a file is pending with its queue position, then processing, then processed; never back', async () => {
  const order: DocumentStatus[] = ['pending', 'processing', 'processed'];
  const bytes = bytesOf('A long way for a sloth. '.repeat(40_000));
  const { id, status } = await importBytes(api, { knowledgeBaseId, fileName: 'sloth.txt', bytes });
  expect(status).toBe('pending');
  const seen: DocumentStatus[] = [status];
  await vi.waitUntil(
    async () => {
      const report = await api.getDocumentStatus(id);
      seen.push(report.status);
      if (report.status === 'pending') expect(report.queuePosition).toBeGreaterThanOrEqual(1);
      else expect(report).not.toHaveProperty('queuePosition');
      return isFinal(report.status);
    },
    { timeout: 60_000, interval: 1 },
  );
  expect(seen.at(-1)).toBe('processed');
  const steps = seen.map((each) => order.indexOf(each));
  expect(steps).toEqual(steps.toSorted());
});

test('200: a failed file reports its reason, and stays failed', async () => {
  const { id } = await importBytes(api, { knowledgeBaseId, fileName: 'blank.txt', bytes: bytesOf('\n\n') });
  const report = await untilFinal(api, id);
  expect(report).toMatchObject({ id, status: 'failed', error: { code: 'NO_TEXT_EXTRACTED' } });
  expect(await api.getDocumentStatus(id)).toEqual(report);
});

test('200: a processed file is searchable at that moment', async () => {
  const bytes = bytesOf(`${'Filler. '.repeat(5000)} The axolotl smiles.`);
  const { id } = await importBytes(api, { knowledgeBaseId, fileName: 'amphibians.txt', bytes });
  expect((await untilFinal(api, id)).status).toBe('processed');
  const found = await api.query({ query: 'axolotl', knowledgeBaseIds: [knowledgeBaseId] });
  expect(found.map((result) => result.document_id)).toEqual([id]);
});

test('200: with waitSeconds one request returns the final status of a good or bad file', async () => {
  const good = bytesOf('The quokka smiles. '.repeat(20_000));
  const files = [
    { fileName: 'quokka.txt', bytes: good, status: 'processed' },
    { fileName: 'blank.txt', bytes: bytesOf('\n'), status: 'failed' },
  ];
  for (const { status, ...file } of files) {
    const { id } = await importBytes(api, { knowledgeBaseId, ...file });
    expect((await api.getDocumentStatus(id, 30)).status).toBe(status);
  }
});

test('200: with waitSeconds a status that is already final comes at once', async () => {
  const { id } = await api.importTextContent({ knowledgeBaseId, title: 'a', content: 'b' });
  const answering = api.getDocumentStatus(id, 30);
  expect(await isAtOnce(answering, api.getUsage)).toBe(true);
  expect((await answering).status).toBe('processed');
});

test('200: the import changes updatedAt and passageCount', async () => {
  const bytes = bytesOf('A paragraph about the wombat.\n\n'.repeat(500));
  const pending = await importBytes(api, { knowledgeBaseId, fileName: 'wombat.txt', bytes });
  expect(pending).toMatchObject({ passageCount: 0, warnings: [] });
  const report = await api.getDocumentStatus(pending.id, 30);
  expect(report.passageCount).toBeGreaterThan(5);
  expect(Date.parse(report.updatedAt ?? '')).toBeGreaterThan(Date.parse(pending.updatedAt ?? ''));
  const { data } = await api.listDocuments({ knowledgeBaseId, limit: 1 });
  expect(data[0]).toMatchObject(report);
});

test('200: warnings of the file, the same in the list and the details', async () => {
  const pages = [[], [{ size: 12, text: 'A line about the wombat.' }]];
  const file = { knowledgeBaseId, fileName: 'wombat.pdf', bytes: smallPdf(pages, 2_000) };
  const { id } = await importBytes(api, file);
  const { status, warnings } = await api.getDocumentStatus(id, 30);
  expect({ status, warnings }).toEqual({
    status: 'processed',
    warnings: [{ code: 'PAGES_WITHOUT_TEXT', message: 'Page 1: without text.' }],
  });
  expect((await api.getDocument(id)).warnings).toEqual(warnings);
  expect((await api.listDocuments({ knowledgeBaseId, limit: 1 })).data[0]?.warnings).toEqual(warnings);
});

test('404 DOCUMENT_NOT_FOUND: an unknown document, at once even with waitSeconds', async () => {
  const answering = request('getDocumentStatus', { documentId: UNKNOWN_DOCUMENT_ID, waitSeconds: '30' });
  expect(await isAtOnce(answering, api.getUsage)).toBe(true);
  expectRefusal(await answering, 404, 'DOCUMENT_NOT_FOUND');
});

test('422 INPUT_VALIDATION_FAILED: waitSeconds that is no whole number', async () => {
  for (const waitSeconds of ['1.5', 'soon', '1e3', '']) {
    const answer = await request('getDocumentStatus', { documentId: UNKNOWN_DOCUMENT_ID, waitSeconds });
    expectRefusedFields(answer, 'waitSeconds');
  }
});

test('404 DOCUMENT_NOT_FOUND: the same bytes for an unknown, malformed and deleted document', async () => {
  const { id: deleted } = await api.importTextContent({ knowledgeBaseId, title: 'a', content: 'b' });
  await api.deleteDocument(deleted);
  const ids = [UNKNOWN_DOCUMENT_ID, deleted, 'x', '%', '../../etc/passwd', '😀'.repeat(128), knowledgeBaseId];
  const answers = await Promise.all(ids.map((documentId) => request('getDocumentStatus', { documentId })));
  expectSameRefusal(answers, 404, 'DOCUMENT_NOT_FOUND');
});

test('404 DOCUMENT_NOT_FOUND: bytes that are not UTF-8 are an unknown id, not an internal error', async () => {
  expectRefusal(await request('getDocumentStatus', 'documentId=%FF%FE'), 404, 'DOCUMENT_NOT_FOUND');
  expectRefusal(await request('getDocumentStatus', 'documentId=%E0%A4%A'), 404, 'DOCUMENT_NOT_FOUND');
});

test('422 INPUT_VALIDATION_FAILED: an empty id, U+0000, and an id that is given twice', async () => {
  for (const query of ['documentId=', 'documentId', 'documentId=a%00b', 'documentId=a&documentId=b']) {
    expectRefusedFields(await request('getDocumentStatus', query), 'documentId');
  }
});
