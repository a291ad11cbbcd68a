/** importTextContent, status by status. */
import { expect, test } from 'vitest';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
  expectSuccesses,
} from '../../../harness/calls/expect-refusal.ts';
import { createInParallel } from '../../../harness/create-in-parallel.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Texts' });

const input = { knowledgeBaseId, title: 'Note', content: 'The numbat eats termites.' };

testPromises('importTextContent');

test('200: the id has at most 128 characters: letters, digits, - and _', async () => {
  expect((await api.importTextContent(input)).id).toMatch(/^[\w-]{1,128}$/);
});

test.each([
  ['ASCII', 'four', 4],
  ['accents', 'é', 2],
  ['combining marks', 'e\u0301', 3],
  ['CJK', '知识', 6],
  ['emoji', '👩‍🚀', 11],
  ['line ends', 'a\r\nb\n', 5],
])('200: the size counts UTF-8 bytes: %s', async (_, content, bytes) => {
  const { storageUsed } = await api.getUsage();
  const document = await api.importTextContent({ ...input, content });
  expect(document.size).toBe(bytes);
  expect((await api.getUsage()).storageUsed).toBe(storageUsed + bytes);
});

test.each([
  ['control characters', '\u0001\u0002\u0003'],
  ['invisible characters', '\u200b\u2060 \u3164'],
  ['private characters', '\ue000'],
  ['replacement characters', '\ufffd\ufffd'],
])(
  '200: a text of nothing but %s is a failed document with the reason NO_TEXT_EXTRACTED',
  async (_, content) => {
    const document = await api.importTextContent({ ...input, content });
    expect(document).toMatchObject({
      status: 'failed',
      passageCount: 0,
      error: { code: 'NO_TEXT_EXTRACTED' },
    });
    expect(await api.getDocumentStatus(document.id)).toMatchObject({
      status: 'failed',
      error: document.error,
    });
    await api.deleteDocument(document.id);
  },
);

test('200: the same text twice makes two documents', async () => {
  const [first, second] = [await api.importTextContent(input), await api.importTextContent(input)];
  expect(first.id).not.toBe(second.id);
});

test('200: usage is exact after fifty concurrent imports', async () => {
  const { storageUsed } = await api.getUsage();
  const documents = await createInParallel(50, (index) =>
    api.importTextContent({ ...input, content: 'x'.repeat(index + 1) }),
  );
  expect(new Set(documents.map(({ id }) => id)).size).toBe(50);
  expect((await api.getUsage()).storageUsed).toBe(storageUsed + (50 * 51) / 2);
});

test('403 STORAGE_LIMIT_EXCEEDED: one byte above the limit, not at the limit; a deletion makes room', async () => {
  const limited = await openAccount({ storageLimitBytes: 10 });
  const { id } = await limited.api.createKnowledgeBase({ name: 'Ten bytes' });
  const text = (content: string) => ({ knowledgeBaseId: id, title: 'a', content });
  const { id: documentId } = await limited.api.importTextContent(text('€€')); // 6 bytes
  await expectNothingChanged(limited, async () => {
    const answer = await limited.request('importTextContent', text('12345'));
    expectRefusal(answer, 403, 'STORAGE_LIMIT_EXCEEDED');
    expect(answer.body).toMatchObject({ data: { limit: 10, used: 6, requested: 5 } });
  });
  await limited.api.importTextContent(text('1234'));
  await limited.api.deleteDocument(documentId);
  await limited.api.importTextContent(text('123456'));
  expect((await limited.api.getUsage()).storageUsed).toBe(10);
});

test('403 STORAGE_LIMIT_EXCEEDED: concurrent imports never exceed the limit together', async () => {
  const limited = await openAccount({ storageLimitBytes: 100 });
  const { id } = await limited.api.createKnowledgeBase({ name: 'Three of ten' });
  const answers = await createInParallel(10, () =>
    limited.request('importTextContent', { knowledgeBaseId: id, title: 'a', content: 'x'.repeat(30) }),
  );
  expectSuccesses(answers, 3, { status: 403, errorCode: 'STORAGE_LIMIT_EXCEEDED' });
  expect((await limited.api.getUsage()).storageUsed).toBe(90);
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: an unknown knowledge base, also at the storage limit', async () => {
  const answer = await request('importTextContent', { ...input, knowledgeBaseId: UNKNOWN_KNOWLEDGE_BASE_ID });
  expectRefusal(answer, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
  const none = await openAccount({ storageLimitBytes: 0 });
  const refused = await none.request('importTextContent', input);
  expectRefusal(refused, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});

test.each([' ', '\n\t\r\n', '\u00A0\u2003\u3000', '\uFEFF', '\u2028'.repeat(1000)])(
  '422 INPUT_VALIDATION_FAILED: content of white space only: %j',
  async (content) => {
    await expectNothingChanged(account, async () => {
      const answer = await request('importTextContent', { ...input, content });
      expectRefusedFields(answer, 'content');
      expect(answer.body).toMatchObject({ message: 'content must hold more than white space.' });
    });
  },
);

test('422 INPUT_VALIDATION_FAILED: the message names U+0000 alone, also if the rest is white space', async () => {
  const answer = await request('importTextContent', { ...input, content: ' \0' });
  const message = 'content must not hold U+0000 or half of a surrogate pair.';
  expect(answer.body).toMatchObject({ message });
});

test('422 INPUT_VALIDATION_FAILED: values of another type are not converted', async () => {
  await expectNothingChanged(account, async () => {
    for (const field of ['knowledgeBaseId', 'title', 'content']) {
      for (const value of [null, 7, false, ['text'], { text: 'text' }]) {
        expectRefusedFields(await request('importTextContent', { ...input, [field]: value }), field);
      }
    }
  });
});
