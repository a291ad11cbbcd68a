/** listPassages, status by status. */
import { expect, test } from 'vitest';
import { UNKNOWN_DOCUMENT_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { readPages } from '../../../../src/contract-check/requests/read-pages.ts';
import { expectRefusedFields, expectSameRefusal } from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes } from '../../../harness/calls/uploading.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Passages' });

const sections = Array.from(
  { length: 12 },
  (_, number) => `# Part ${number}\n\n${`Sentence of part${number} about the potoroo. `.repeat(20)}`,
);
const content = sections.join('\n\n');
const importLong = () => api.importTextContent({ knowledgeBaseId, title: 'Potoroos', content });

testPromises('listPassages');

test('200: each passage has an id of its own, its language and the headings above it', async () => {
  const { id: documentId } = await importLong();
  const { data } = await api.listPassages({ documentId });
  for (const { id, location, language } of data) {
    expect(id).toBe(`${documentId}_${location.passage}`);
    expect(language).toBe('english');
  }
  expect(data.at(-1)?.location.headings).toEqual(['Part 11']);
});

test('200: a passage equals the search result with the same id', async () => {
  const { id: documentId } = await importLong();
  const { data } = await api.listPassages({ documentId });
  const found = await api.query({ query: 'part7', knowledgeBaseIds: [knowledgeBaseId] });
  const result = found.find((each) => each.document_id === documentId);
  const passage = data.find(({ id }) => id === result?.id);
  expect(passage).toMatchObject({ content: result?.content, location: result?.location });
});

test('200: pages of any size make up the same list', async () => {
  const { id: documentId } = await importLong();
  const { data } = await api.listPassages({ documentId });
  for (const limit of [1, 5, data.length - 1, data.length, 1000]) {
    const pages = await readPages((cursor) => api.listPassages({ documentId, limit, ...cursor }));
    expect(pages.flat()).toEqual(data);
    expect(pages).toHaveLength(Math.ceil(data.length / limit));
  }
});

test('200: from and to name the first and last passage, on every page', async () => {
  const { id: documentId } = await importLong();
  const { data } = await api.listPassages({ documentId });
  for (const [from, to] of [
    [1, 1],
    [3, 6],
    [5, undefined],
    [4, 2],
    [data.length, 2_147_483_647],
    [data.length + 1, undefined],
  ]) {
    const range = { ...(from && { from }), ...(to && { to }) };
    const pages = await readPages((cursor) =>
      api.listPassages({ documentId, limit: 2, ...range, ...cursor }),
    );
    const expected = data.slice((from ?? 1) - 1, Math.max(to ?? data.length, (from ?? 1) - 1));
    expect(pages.flat()).toEqual(expected);
  }
});

test('200: a failed file has no passages', async () => {
  const { id: documentId } = await importBytes(api, {
    knowledgeBaseId,
    fileName: 'blank.txt',
    bytes: bytesOf('\n'),
  });
  await api.getDocumentStatus(documentId, 30);
  expect((await api.listPassages({ documentId })).data).toEqual([]);
});

test('404 DOCUMENT_NOT_FOUND: the same bytes for an unknown, malformed and deleted document', async () => {
  const { id: deleted } = await importLong();
  await api.deleteDocument(deleted);
  const ids = [UNKNOWN_DOCUMENT_ID, deleted, 'x', '😀'.repeat(128), knowledgeBaseId];
  const answers = await Promise.all(ids.map((documentId) => request('listPassages', { documentId })));
  expectSameRefusal(answers, 404, 'DOCUMENT_NOT_FOUND');
});

test('422 INPUT_VALIDATION_FAILED: a malformed cursor, and cursors of other lists', async () => {
  const [{ id: documentId }, { id: other }] = [await importLong(), await importLong()];
  const { pagination } = await api.listPassages({ documentId: other, limit: 1 });
  const documents = await api.listDocuments({ knowledgeBaseId, limit: 1 });
  for (const cursor of ['x', pagination.nextCursor, documents.pagination.nextCursor]) {
    expectRefusedFields(await request('listPassages', { documentId, cursor }), 'cursor');
  }
});

test('422 INPUT_VALIDATION_FAILED: every wrong parameter is named at once', async () => {
  const query = 'documentId=&limit=0&cursor=&verbose=1';
  expectRefusedFields(await request('listPassages', query), 'cursor', 'documentId', 'limit', 'verbose');
});
