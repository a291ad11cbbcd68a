/** Checks the successful answers of the operations on webhooks. No receiver has to exist for them. */
import assert from 'node:assert/strict';
import type { CreatedWebhook, WebhookTest } from '../../../generated/types.gen.ts';
import {
  dataOf,
  makeWebhook,
  type PlannedRequest,
  type RunContext,
  requestWith,
  webhookInput,
} from '../planning/planned-request.ts';
import { checkGone, checkNewestFirst } from './lists.ts';

/** The bytes of a secret in base64, without the prefix. */
const secretBytes = ({ secret }: CreatedWebhook): number =>
  Buffer.from(secret.slice('whsec_'.length), 'base64').length;

export function createWebhook(context: RunContext): PlannedRequest {
  const { api } = context.caller;
  const input = { ...webhookInput(context), events: ['document.deleted'] };
  return {
    sent: requestWith(context, 'createWebhook', input),
    async check(answer) {
      const created = dataOf<CreatedWebhook>(answer);
      context.madeWebhooks.add(created.id);
      const { url, knowledgeBaseIds, events } = created;
      assert.deepEqual(
        { url, knowledgeBaseIds, events },
        input,
        'it has the address, the knowledge bases and the events of the request',
      );
      assert.equal(created.status, 'enabled', 'a new webhook is enabled');
      assert.equal(secretBytes(created), 32, 'the secret has 32 bytes');
      const { secret, ...rest } = created;
      const { data } = await api.listWebhooks();
      assert.deepEqual(data[0], { ...rest, deliveries: [] }, 'the newest comes first, without its secret');
      assert.notEqual((await makeWebhook(context)).secret, secret, 'each webhook has its own secret');
    },
  };
}

export async function listWebhooks(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  for (let count = 0; count < 2; count += 1) await makeWebhook(context);
  return {
    sent: requestWith(context, 'listWebhooks', { limit: 1 }),
    async check(answer) {
      const { data: whole } = await api.listWebhooks();
      checkNewestFirst(whole);
      assert.deepEqual(dataOf(answer), whole.slice(0, 1), 'the first page has `limit` items');
      const first = await api.listWebhooks({ limit: 1 });
      assert.equal(first.pagination.hasMore, true, 'hasMore says that a next page follows');
      const second = await api.listWebhooks({ limit: 1, cursor: first.pagination.nextCursor ?? '' });
      assert.deepEqual(second.data, whole.slice(1, 2), 'the pages follow the order of the list');
    },
  };
}

export async function deleteWebhook(context: RunContext): Promise<PlannedRequest> {
  const { api, request } = context.caller;
  const { id: keptId } = await makeWebhook(context);
  const { id: webhookId } = await makeWebhook(context);
  const isListed = async (wanted: string) => (await api.listWebhooks()).data.some(({ id }) => id === wanted);
  assert.ok(await isListed(webhookId), 'a webhook is listed');
  return {
    sent: requestWith(context, 'deleteWebhook', { webhookId }),
    async check(answer) {
      assert.deepEqual(dataOf(answer), { id: webhookId }, 'the answer has the id of the deleted webhook');
      assert.ok(!(await isListed(webhookId)), 'a deleted webhook is not listed');
      assert.ok(await isListed(keptId), 'another webhook stays');
      for (const operationId of ['deleteWebhook', 'testWebhook'] as const)
        checkGone(operationId, await request(operationId, { webhookId }));
    },
  };
}

export async function testWebhook(context: RunContext): Promise<PlannedRequest> {
  const { api } = context.caller;
  const { id } = await makeWebhook(context);
  return {
    sent: requestWith(context, 'testWebhook', { webhookId: id }),
    async check(answer) {
      const { delivered, delivery, ...rest } = dataOf<WebhookTest>(answer);
      assert.equal(rest.id, id, 'the answer has the id of the webhook');
      assert.equal(delivered, delivery.error === undefined, 'delivered is true where there is no error');
      assert.equal(delivery.eventType, 'webhook.test', 'the event is a test');
      const { data } = await api.listWebhooks();
      const log = data.find((webhook) => webhook.id === id)?.deliveries;
      assert.deepEqual(log, [delivery], 'the log has the test, and nothing else');
    },
  };
}
