/** deleteWebhook, status by status. */
import { test } from 'vitest';
import { UNKNOWN_WEBHOOK_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { expectRefusal, expectSuccesses } from '../../../harness/calls/expect-refusal.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const { api, request } = await openAccount();
const create = () => api.createWebhook({ url: 'https://hooks.example.com/' });

testPromises('deleteWebhook');

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
