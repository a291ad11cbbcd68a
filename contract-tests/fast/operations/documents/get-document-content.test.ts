/** getDocumentContent, status by status. */
import { expect, test } from 'vitest';
import { UNKNOWN_DOCUMENT_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { expectRefusedFields, expectSameRefusal } from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes, untilFinal } from '../../../harness/calls/uploading.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const { api, request } = await openAccount();
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Contents' });

const chapters = Array.from(
  { length: 30 },
  (_, number) => `# Part ${number}\n\n${`Sentence 🦘 of part ${number}. `.repeat(40).trim()}`,
);
const content = chapters.join('\n\n');
const characters = [...content];
const { id: documentId } = await api.importTextContent({ knowledgeBaseId, title: 'Long', content });

testPromises('getDocumentContent');

test('200: parts of any size make up the whole text', async () => {
  const whole = await api.getDocumentContent({ documentId });
  for (const limit of [997, 5_000, characters.length, 100_000]) {
    const parts: string[] = [];
    for (let offset = 0; offset < whole.length; ) {
      const part = await api.getDocumentContent({ documentId, offset, limit });
      expect(part.start).toBe(offset);
      expect([...part.text].length).toBe(part.end - part.start);
      parts.push(part.text);
      offset = part.end;
    }
    expect(parts.join('')).toBe(whole.text);
  }
  const { length } = whole;
  const beyond = await api.getDocumentContent({ documentId, offset: length + 5 });
  expect(beyond).toMatchObject({ text: '', start: length, end: length, length });
});

test('200: a file has its extracted text; a failed one has none', async () => {
  const html = '<title>T</title><h1>Quolls</h1><p>They hunt <b>at night</b>.</p><ul><li>one<li>two</ul>';
  const file = await importBytes(api, { knowledgeBaseId, fileName: 'quolls.html', bytes: bytesOf(html) });
  await untilFinal(api, file.id);
  const { text } = await api.getDocumentContent({ documentId: file.id });
  expect(text).toMatch(/Quolls\s+They hunt at night\.\s+.*one\s+.*two/su);
  const blank = await importBytes(api, { knowledgeBaseId, fileName: 'blank.txt', bytes: bytesOf(' ') });
  await untilFinal(api, blank.id);
  const none = { text: '', start: 0, end: 0, length: 0 };
  expect(await api.getDocumentContent({ documentId: blank.id })).toMatchObject(none);
});

test('404 DOCUMENT_NOT_FOUND: the same bytes for an unknown, malformed and deleted document', async () => {
  const { id: deleted } = await api.importTextContent({ knowledgeBaseId, title: 'a', content: 'b' });
  await api.deleteDocument(deleted);
  const ids = [UNKNOWN_DOCUMENT_ID, 'x', '😀'.repeat(128), deleted, knowledgeBaseId];
  const answers = await Promise.all(ids.map((id) => request('getDocumentContent', { documentId: id })));
  expectSameRefusal(answers, 404, 'DOCUMENT_NOT_FOUND');
});

test('422 INPUT_VALIDATION_FAILED: every wrong parameter is named at once', async () => {
  const answer = await request('getDocumentContent', 'documentId=&offset=-1&limit=0&format=pdf');
  expectRefusedFields(answer, 'documentId', 'offset', 'limit', 'format');
});
