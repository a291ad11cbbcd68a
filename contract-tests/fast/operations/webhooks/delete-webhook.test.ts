/** deleteWebhook, status by status. */
import { expect, test } from 'vitest';
import { UNKNOWN_WEBHOOK_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { expectRefusal, expectSuccesses } from '../../../harness/calls/expect-refusal.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const { api, request } = await openAccount();
const create = () => api.createWebhook({ url: 'https://hooks.example.com/' });

test('200: returns the id; the webhook is not listed any more, and others stay', async () => {
  const [gone, kept] = [await create(), await create()];
  expect(await api.deleteWebhook(gone.id)).toEqual({ id: gone.id });
  expect((await api.listWebhooks()).data.map(({ id }) => id)).toEqual([kept.id]);
});

test('200: one of ten concurrent deletions succeeds', async () => {
  const { id: webhookId } = await create();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => request('deleteWebhook', { webhookId })),
  );
  expectSuccesses(answers, 1, { status: 404, errorCode: 'WEBHOOK_NOT_FOUND' });
});

test('404 WEBHOOK_NOT_FOUND: an unknown and a malformed id', async () => {
  const { id } = await create();
  for (const webhookId of [UNKNOWN_WEBHOOK_ID, id.toUpperCase(), '😀'.repeat(36)])
    expectRefusal(await request('deleteWebhook', { webhookId }), 404, 'WEBHOOK_NOT_FOUND');
  await api.deleteWebhook(id);
});
