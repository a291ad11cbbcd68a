/** listWebhooks, status by status. */
import { expect, test } from 'vitest';
import { readPages } from '../../../../src/contract-check/requests/read-pages.ts';
import { expectRefusedFields } from '../../../harness/calls/expect-refusal.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const url = 'https://hooks.example.com/';

testPromises('listWebhooks');

test('200: the newest first, in one list or in pages of any size', async () => {
  const { api } = await openAccount();
  expect(await api.listWebhooks()).toEqual({
    success: true,
    data: [],
    pagination: { nextCursor: null, hasMore: false },
  });
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.unshift((await api.createWebhook({ url })).id);
  const { data } = await api.listWebhooks();
  expect(data.map(({ id }) => id)).toEqual(ids);
  for (const limit of [1, 2, 5, 6]) {
    const pages = await readPages((cursor) => api.listWebhooks({ limit, ...cursor }));
    expect(pages.flat()).toEqual(data);
  }
});

test('200: webhooks of another account are not listed', async () => {
  await (await openAccount()).api.createWebhook({ url });
  expect((await (await openAccount()).api.listWebhooks()).data).toEqual([]);
});

test('422 INPUT_VALIDATION_FAILED: a malformed cursor, and one of another list', async () => {
  const { api, request } = await openAccount();
  for (const name of ['One', 'Other']) await api.createKnowledgeBase({ name });
  const { pagination } = await api.listKnowledgeBases({ limit: 1 });
  for (const cursor of ['x', pagination.nextCursor])
    expectRefusedFields(await request('listWebhooks', { cursor }), 'cursor');
});
