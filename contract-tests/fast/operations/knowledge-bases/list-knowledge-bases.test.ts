/** listKnowledgeBases, status by status. */
import { expect, test } from 'vitest';
import { readPages } from '../../../../src/contract-check/requests/read-pages.ts';
import { expectRefusedFields } from '../../../harness/calls/expect-refusal.ts';
import { createInParallel } from '../../../harness/create-in-parallel.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;

testPromises('listKnowledgeBases');

test('200: an account without knowledge bases has an empty list', async () => {
  expect((await api.getUsage()).knowledgeBaseCount).toBe(0);
  const { data, pagination } = await api.listKnowledgeBases();
  expect(data).toEqual([]);
  expect(pagination).toEqual({ nextCursor: null, hasMore: false });
});

test('200: pages of any size make up the same list; only the last page has no nextCursor', async () => {
  await createInParallel(12, (index) => api.createKnowledgeBase({ name: `No. ${index}` }));
  const { data } = await api.listKnowledgeBases();
  const count = data.length;
  for (const limit of [1, 5, count - 1, count, count + 1, 1000]) {
    const pages = await readPages((cursor) => api.listKnowledgeBases({ limit, ...cursor }));
    expect(pages.flat()).toEqual(data);
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
    expect(pages).toHaveLength(Math.ceil(count / limit));
  }
});

test('200: pages skip and repeat nothing while knowledge bases are created and deleted', async () => {
  await createInParallel(9, (index) => api.createKnowledgeBase({ name: `No. ${index}` }));
  const { data: before } = await api.listKnowledgeBases();
  const pages = await readPages(async (cursor) => {
    const page = await api.listKnowledgeBases({ limit: 3, ...cursor });
    await api.createKnowledgeBase({ name: 'Newcomer' });
    // This deletes the row that the cursor names.
    await api.deleteKnowledgeBase(page.data.at(-1)?.id ?? '');
    return page;
  });
  expect(pages.flat()).toEqual(before);
});

test.each(['x', 'null', '0', '../..', "' OR 1=1 --", 'WyIyMDI2LTAxLTE1VDA5OjQxOjEyLjMzNFoiLCJiOSJd'])(
  '422 INPUT_VALIDATION_FAILED: the cursor %j, which no list has issued',
  async (cursor) => {
    expectRefusedFields(await request('listKnowledgeBases', { cursor }), 'cursor');
  },
);

/** Texts that no cursor encodes: a time without an id, malformed times and ids. */
const INVENTED_POSITIONS = [
  '',
  '.',
  '1.1',
  '123.',
  `123.${'-'.repeat(36)}`,
  `123.${'f'.repeat(36)}`,
  `NaN.${'0'.repeat(36)}`,
];

test.each(INVENTED_POSITIONS)(
  '422 INPUT_VALIDATION_FAILED: the base64 of %j as a cursor',
  async (position) => {
    const cursor = Buffer.from(position).toString('base64url');
    expectRefusedFields(await request('listKnowledgeBases', { cursor }), 'cursor');
  },
);

test('422 INPUT_VALIDATION_FAILED: the cursor of another list', async () => {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Two documents' });
  await createInParallel(2, () => api.importTextContent({ knowledgeBaseId, title: 'Note', content: 'Text' }));
  const { pagination } = await api.listDocuments({ knowledgeBaseId, limit: 1 });
  const answer = await request('listKnowledgeBases', { cursor: pagination.nextCursor });
  expectRefusedFields(answer, 'cursor');
});

test('422 INPUT_VALIDATION_FAILED: a truncated cursor', async () => {
  await createInParallel(2, () => api.createKnowledgeBase({ name: 'One of two' }));
  const { pagination } = await api.listKnowledgeBases({ limit: 1 });
  const cursor = pagination.nextCursor?.slice(0, -4);
  expectRefusedFields(await request('listKnowledgeBases', { cursor }), 'cursor');
});

/** Changes to the text that a real cursor encodes in base64. */
const EDITS: [change: string, edit: (text: string) => string][] = [
  ['its id made of hyphens', (text) => text.replace(/.{36}$/, '-'.repeat(36))],
  ['its id made of one letter', (text) => text.replace(/.{36}$/, 'f'.repeat(36))],
  ['its hyphens moved', (text) => text.replace(/.{36}$/, (id) => [...id].toReversed().join(''))],
  ['more digits', (text) => text.replace(/\d+/, (digits) => digits.padEnd(400, '9'))],
  ['no digits', (text) => text.replaceAll(/\d/g, '')],
  ['U+0000 after it', (text) => `${text}\u0000`],
];

test.each(EDITS)('422 INPUT_VALIDATION_FAILED: a real cursor with %s', async (_, edit) => {
  await createInParallel(2, () => api.createKnowledgeBase({ name: 'One of two' }));
  const { pagination } = await api.listKnowledgeBases({ limit: 1 });
  const text = Buffer.from(pagination.nextCursor ?? '', 'base64url').toString();
  expect(edit(text)).not.toBe(text);
  const cursor = Buffer.from(edit(text)).toString('base64url');
  expectRefusedFields(await request('listKnowledgeBases', { cursor: cursor.slice(0, 512) }), 'cursor');
});

test.each(['', 'ten', '1.5', '-1', '1,000', 'NaN', 'Infinity', 'true', '0', '1001', '9'.repeat(30)])(
  '422 INPUT_VALIDATION_FAILED: limit=%s',
  async (limit) => {
    expectRefusedFields(await request('listKnowledgeBases', { limit }), 'limit');
  },
);

test('422 INPUT_VALIDATION_FAILED: a parameter that is given twice', async () => {
  for (const [name, query] of [
    ['limit', 'limit=1&limit=2'],
    ['cursor', 'cursor=a&cursor=b'],
  ] as const) {
    const answer = await request('listKnowledgeBases', query);
    expectRefusedFields(answer, name);
    expect(answer.body).toMatchObject({ message: `${name} may be given only once.` });
  }
});
