/** listDocuments, status by status. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Document, Filter, ListDocumentsData } from '../../../../generated/types.gen.ts';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { readPages } from '../../../../src/contract-check/requests/read-pages.ts';
import { expectRefusedFields, expectSameRefusal } from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes, untilFinal } from '../../../harness/calls/uploading.ts';
import { createInParallel } from '../../../harness/create-in-parallel.ts';
import {
  arbitraryAttributes,
  arbitraryFilter,
  type Fields,
  fits,
  TEXTS,
} from '../../../harness/documents/naive-filter.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;

/** A new knowledge base with `count` one-word texts. */
async function fill(count: number): Promise<string> {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Listed' });
  await createInParallel(count, (index) =>
    api.importTextContent({ knowledgeBaseId, title: `No. ${index}`, content: `word${index}` }),
  );
  return knowledgeBaseId;
}

testPromises('listDocuments');

test('200: an empty knowledge base has an empty list', async () => {
  const { data, pagination } = await api.listDocuments({ knowledgeBaseId: await fill(0) });
  expect(data).toEqual([]);
  expect(pagination).toEqual({ nextCursor: null, hasMore: false });
});

test('200: a page ends where its documents have 4 MiB of attributes, and the next goes on', async () => {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Listed' });
  const attributes = Object.fromEntries(
    Array.from({ length: 16 }, (_, i) => [`a${i}`, Array.from({ length: 2 }, () => '😀'.repeat(512))]),
  );
  const made = await createInParallel(70, (index) =>
    api.importTextContent({ knowledgeBaseId, title: `No. ${index}`, content: 'x', attributes }),
  );
  const pages = await readPages((cursor) => api.listDocuments({ knowledgeBaseId, ...cursor }));
  expect(pages.map(({ length }) => length)).toEqual([64, 6]);
  expect(new Set(pages.flat().map(({ id }) => id))).toEqual(new Set(made.map(({ id }) => id)));
});

test('200: documents of files in every status, failed ones with their reason', async () => {
  const knowledgeBaseId = await fill(1);
  const readable = await importBytes(api, { knowledgeBaseId, fileName: 'a.md', bytes: bytesOf('# Tapir') });
  const blank = await importBytes(api, { knowledgeBaseId, fileName: 'b.txt', bytes: bytesOf('   ') });
  const listed = (await api.listDocuments({ knowledgeBaseId })).data.map(({ id }) => id);
  expect(listed.slice(0, 2)).toEqual([blank.id, readable.id]);

  const reports = [await untilFinal(api, blank.id), await untilFinal(api, readable.id)];
  const { data } = await api.listDocuments({ knowledgeBaseId });
  expect(data.slice(0, 2)).toMatchObject(reports);
  expect(data[0]).toMatchObject({
    title: 'b.txt',
    size: 3,
    status: 'failed',
    error: { code: 'NO_TEXT_EXTRACTED' },
  });
  expect(data[1]).toMatchObject({ title: 'a.md', type: 'md', size: 7, status: 'processed' });
});

test('200: pages of any size make up the same list; only the last page has no nextCursor', async () => {
  const knowledgeBaseId = await fill(12);
  const { data } = await api.listDocuments({ knowledgeBaseId });
  for (const limit of [1, 5, 6, 11, 12, 13, 1000]) {
    const pages = await readPages((cursor) => api.listDocuments({ knowledgeBaseId, limit, ...cursor }));
    expect(pages.flat()).toEqual(data);
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
    expect(pages).toHaveLength(Math.ceil(12 / limit));
  }
});

test('200: pages skip and repeat nothing while documents are created and deleted', async () => {
  const knowledgeBaseId = await fill(9);
  const { data: before } = await api.listDocuments({ knowledgeBaseId });
  const pages = await readPages(async (cursor) => {
    const page = await api.listDocuments({ knowledgeBaseId, limit: 3, ...cursor });
    await api.importTextContent({ knowledgeBaseId, title: 'Newcomer', content: 'new' });
    // This deletes the row that the cursor names.
    await api.deleteDocument(page.data.at(-1)?.id ?? '');
    return page;
  });
  expect(pages.flat()).toEqual(before);
});

test('200: status and titleContains leave out other documents, on every page', async () => {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Filtered' });
  const titles = ['Über ALLE Berge', 'über 100% _alles_', 'Notes', 'Anything'];
  for (const title of titles) await api.importTextContent({ knowledgeBaseId, title, content: 'Text.' });
  await api.importTextContent({ knowledgeBaseId, title: 'Blank über', content: '\u0001' });
  const titlesOf = async (filter: Omit<NonNullable<ListDocumentsData['query']>, 'knowledgeBaseId'>) => {
    const list = { knowledgeBaseId, limit: 1, ...filter };
    const pages = await readPages((cursor) => api.listDocuments({ ...list, ...cursor }));
    return pages.flat().map(({ title }) => title);
  };
  expect(await titlesOf({ titleContains: 'ÜBER ' })).toEqual(titles.slice(0, 2).toReversed());
  expect(await titlesOf({ titleContains: 'über', status: 'failed' })).toEqual(['Blank über']);
  expect(await titlesOf({ titleContains: '0% _a' })).toEqual([titles[1]]);
  expect(await titlesOf({ titleContains: '%' })).toEqual([titles[1]]);
  expect(await titlesOf({ status: 'processed' })).toEqual(titles.toReversed());
  expect(await titlesOf({ status: 'pending' })).toEqual([]);
});

const fieldsOf = ({ attributes, title, type, sourceUrl, createdAt }: Document): Fields => ({
  ...attributes,
  ...{ $title: title, $type: type, $sourceUrl: sourceUrl, $createdAt: Date.parse(createdAt) },
});

test('200: filter leaves out the documents that do not fit, and pages of any size make up the same list', async () => {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Filtered' });
  for (const [i, attributes] of fc.sample(arbitraryAttributes, { seed: 7, numRuns: 30 }).entries()) {
    const title = TEXTS[i % TEXTS.length] || 'none';
    const source = i % 3 === 0 ? {} : { sourceUrl: `https://x.org/${i}` };
    await api.importTextContent({ knowledgeBaseId, title, content: 'Text.', attributes, ...source });
  }
  const { data: all } = await api.listDocuments({ knowledgeBaseId });
  const times = all.map(({ createdAt }) => createdAt);
  const limits = fc.integer({ min: 1, max: 31 });
  const found = { all: 0, some: 0, none: 0 };
  await fc.assert(
    fc.asyncProperty(arbitraryFilter(times), limits, async (filter, limit) => {
      const list = { knowledgeBaseId, filter, limit };
      const pages = await readPages((cursor) => api.listDocuments({ ...list, ...cursor }));
      const fitting = all.filter((document) => fits(fieldsOf(document), filter));
      expect(pages.flat()).toEqual(fitting);
      expect(pages).toHaveLength(Math.max(1, Math.ceil(fitting.length / limit)));
      found[fitting.length === 0 ? 'none' : fitting.length === all.length ? 'all' : 'some'] += 1;
    }),
    { seed: 7, numRuns: 100 },
  );
  expect(Math.min(...Object.values(found))).toBeGreaterThan(5);
  const isText: Filter = { type: 'eq', key: '$type', value: 'text' };
  const both = { knowledgeBaseId, filter: isText, titleContains: 'straß' };
  const titles = (await api.listDocuments(both)).data.map(({ title }) => title);
  expect(titles).toEqual(['Straße', 'Straße']);
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: the same bytes for an unknown, malformed and deleted knowledge base', async () => {
  const deleted = await fill(1);
  await api.deleteKnowledgeBase(deleted);
  const ids = [UNKNOWN_KNOWLEDGE_BASE_ID, 'x'.repeat(36), '😀'.repeat(36), deleted, deleted.toUpperCase()];
  const answers = await Promise.all(
    ids.map((knowledgeBaseId) => request('listDocuments', { knowledgeBaseId })),
  );
  expectSameRefusal(answers, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});

test('422 INPUT_VALIDATION_FAILED: a malformed cursor', async () => {
  const knowledgeBaseId = await fill(0);
  const uuidLess = Buffer.from(`123.${'-'.repeat(36)}`).toString('base64url');
  for (const cursor of ['x', "' OR 1=1 --", uuidLess]) {
    expectRefusedFields(await request('listDocuments', { knowledgeBaseId, cursor }), 'cursor');
  }
});

test('422 INPUT_VALIDATION_FAILED: the cursor of the list of another knowledge base', async () => {
  const [knowledgeBaseId, other] = [await fill(0), await fill(2)];
  const { pagination } = await api.listDocuments({ knowledgeBaseId: other, limit: 1 });
  const answer = await request('listDocuments', { knowledgeBaseId, cursor: pagination.nextCursor });
  expectRefusedFields(answer, 'cursor');
});

test('422 INPUT_VALIDATION_FAILED: every wrong parameter is named at once', async () => {
  const query = 'knowledgeBaseId=short&limit=0&cursor=&verbose=1&status=done&titleContains=';
  const answer = await request('listDocuments', query);
  const wrong = ['cursor', 'knowledgeBaseId', 'limit', 'verbose', 'status', 'titleContains'];
  expectRefusedFields(answer, ...wrong);
  expect(answer.body).toMatchObject({
    message: expect.stringContaining('verbose is not a parameter of this operation'),
  });
});

const nested = (levels: number): object =>
  levels === 1 ? { type: 'eq', key: 'a', value: 1 } : { type: 'and', filters: [nested(levels - 1)] };

test.each<[string, string, string, string]>([
  ['no JSON', '{"type":', 'filter', 'filter is wrong at character 1: expected valid JSON, not {.'],
  ['nothing', '', 'filter', 'filter is wrong at character 1: expected the name of an attribute'],
  ['a list', '[{"type":"eq","key":"a","value":1}]', 'filter', 'filter must be an object in JSON.'],
  [
    'JSON within JSON within JSON',
    JSON.stringify(JSON.stringify(JSON.stringify(nested(1)))),
    'filter',
    'filter is wrong at character',
  ],
  ['null', 'null', 'filter', 'filter is wrong at character 5'],
  ['1,001 values', `{"filters":[${'1,'.repeat(1_000)}1]}`, 'filter', 'filter must hold 1000 values at most.'],
  ['9 levels', JSON.stringify(nested(9)), 'filter', 'filter must have at most 8 levels.'],
  ['no type', '{"key":"a","value":1}', 'filter.type', 'filter.type is required.'],
  ['an unknown field', '{"type":"eq","key":"$size","value":1}', 'filter.key', 'or one of $type, $title'],
  [
    'a wrong value within it',
    '{"type":"and","filters":[{"type":"eq","key":"a","value":1},{"type":"eq","key":"a","value":[1]}]}',
    'filter.filters.1.value',
    'filter.filters[1].value must be a string, a number or true or false, not an array.',
  ],
  [
    'no time',
    '{"type":"gt","key":"$createdAt","value":"yesterday"}',
    'filter.value',
    'filter.value must be a time with its zone',
  ],
  [
    'a day that does not exist',
    '{"type":"gt","key":"$createdAt","value":"2026-02-30"}',
    'filter.value',
    'filter.value must be a time with its zone',
  ],
])('422 INPUT_VALIDATION_FAILED: a filter of %s', async (_, filter, field, message) => {
  const answer = await request('listDocuments', { knowledgeBaseId: UNKNOWN_KNOWLEDGE_BASE_ID, filter });
  expectRefusedFields(answer, field);
  expect(answer.body).toMatchObject({ message: expect.stringContaining(message) });
});

test('422 INPUT_VALIDATION_FAILED: a filter that is given twice', async () => {
  const filter = `filter=${encodeURIComponent(JSON.stringify(nested(1)))}`;
  const answer = await request('listDocuments', `knowledgeBaseId=${'x'.repeat(36)}&${filter}&${filter}`);
  expectRefusedFields(answer, 'filter');
  expect(answer.body).toMatchObject({ message: 'filter may be given only once.' });
});

test('422 INPUT_VALIDATION_FAILED: U+0000 in a parameter', async () => {
  const id = `${'x'.repeat(35)}%00`;
  expectRefusedFields(await request('listDocuments', `knowledgeBaseId=${id}`), 'knowledgeBaseId');
  const query = `knowledgeBaseId=${UNKNOWN_KNOWLEDGE_BASE_ID}&cursor=%00`;
  expectRefusedFields(await request('listDocuments', query), 'cursor');
});
