/** getKnowledgeBase, status by status, and the counters that every answer about a knowledge base has. */
import { expect, test } from 'vitest';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { expectRefusedFields, expectSameRefusal } from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes, untilFinal } from '../../../harness/calls/uploading.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const { api, request } = await openAccount();

const NONE = { pending: 0, processing: 0, processed: 0, failed: 0, timeout: 0 };

testPromises('getKnowledgeBase');

test('200: counts documents, passages and bytes, and the list counts the same', async () => {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Counted' });
  await api.createKnowledgeBase({ name: 'Another one, which counts nothing of it' });
  const expectCounts = async (counts: object) => {
    const found = await api.getKnowledgeBase(knowledgeBaseId);
    expect(found).toMatchObject(counts);
    expect((await api.listKnowledgeBases()).data).toContainEqual(found);
  };
  const short = await api.importTextContent({ knowledgeBaseId, title: 'a', content: 'é€😀' });
  const content = 'The numbat eats termites. '.repeat(500);
  const long = await api.importTextContent({ knowledgeBaseId, title: 'b', content });
  expect(long.passageCount).toBeGreaterThan(1);
  await expectCounts({
    documentCount: 2,
    passageCount: 1 + (long.passageCount ?? 0),
    storageUsed: 9 + content.length,
    documentsByStatus: { ...NONE, processed: 2 },
  });
  const blank = { knowledgeBaseId, fileName: 'blank.txt', bytes: bytesOf('  ') };
  const { id: failed } = await importBytes(api, blank);
  await untilFinal(api, failed);
  await expectCounts({ documentCount: 3, documentsByStatus: { ...NONE, processed: 2, failed: 1 } });
  for (const id of [long.id, failed]) await api.deleteDocument(id);
  await expectCounts({
    documentCount: 1,
    passageCount: short.passageCount,
    storageUsed: 9,
    documentsByStatus: { ...NONE, processed: 1 },
  });
});

test('200: during imports the statuses add up to the number of documents', async () => {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Busy' });
  const bytes = bytesOf('The quokka smiles. '.repeat(2_000));
  const ids = [];
  for (const fileName of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) {
    ids.push((await importBytes(api, { knowledgeBaseId, fileName, bytes })).id);
    const { documentCount, documentsByStatus = NONE } = await api.getKnowledgeBase(knowledgeBaseId);
    expect(documentCount).toBe(ids.length);
    expect(Object.values(documentsByStatus).reduce((sum, count) => sum + count)).toBe(ids.length);
    expect(Object.values(documentsByStatus).every((count) => count >= 0)).toBe(true);
  }
  for (const id of ids) await untilFinal(api, id);
  expect((await api.getKnowledgeBase(knowledgeBaseId)).documentsByStatus).toEqual({ ...NONE, processed: 4 });
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: the same bytes for an unknown, malformed and deleted one', async () => {
  const { id: deleted } = await api.createKnowledgeBase({ name: 'Deleted' });
  await api.deleteKnowledgeBase(deleted);
  const ids = [UNKNOWN_KNOWLEDGE_BASE_ID, deleted, '!'.repeat(36), '😀'.repeat(36)];
  const answers = await Promise.all(
    ids.map((knowledgeBaseId) => request('getKnowledgeBase', { knowledgeBaseId })),
  );
  expectSameRefusal(answers, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});

test('422 INPUT_VALIDATION_FAILED: an id of another length, and unknown parameters', async () => {
  const query = 'knowledgeBaseId=x&verbose=1';
  expectRefusedFields(await request('getKnowledgeBase', query), 'knowledgeBaseId', 'verbose');
});
