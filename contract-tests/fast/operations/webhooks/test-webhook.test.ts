/** testWebhook, status by status; and receivers that misbehave. */
import { expect, test } from 'vitest';
import { UNKNOWN_WEBHOOK_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { expectRefusal } from '../../../harness/calls/expect-refusal.ts';
import { keepReceiver, verify } from '../../../harness/calls/receiver.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';
import { webhookService } from '../../../harness/shared/share.ts';

const service = await webhookService();
const { api, request } = await openAccount({}, service);

testPromises('testWebhook');

test('200: the receiver gets a signed event at once, and the answer is what it said', async () => {
  const receiver = await keepReceiver(() => 202, 'thanks 😀');
  const { id, secret } = await api.createWebhook({ url: receiver.url });
  const { delivery, ...result } = await api.testWebhook(id);
  expect(result).toEqual({ id, delivered: true, answer: 'thanks 😀' });
  expect(delivery).toMatchObject({ eventType: 'webhook.test', attempt: 1, status: 202 });
  const [received = expect.fail('nothing has arrived')] = receiver.received;
  expect(received.headers['webhook-id']).toBe(delivery.eventId);
  expect(verify(received, secret)).toMatchObject({ type: 'webhook.test', data: { id } });
  const { data } = await api.listWebhooks();
  expect(data.find((webhook) => webhook.id === id)?.deliveries).toEqual([delivery]);
});

test('200: also when the receiver refuses; a test is sent only once', async () => {
  const receiver = await keepReceiver(() => 500, 'out of order');
  const { id } = await api.createWebhook({ url: receiver.url });
  const { delivery, ...result } = await api.testWebhook(id);
  expect(result).toEqual({ id, delivered: false, answer: 'out of order' });
  expect(delivery).toMatchObject({ status: 500, error: 'The receiver answered with status 500.' });
  expect(receiver.received).toHaveLength(1);
});

test('200: also when nothing listens there', async () => {
  const { id } = await api.createWebhook({ url: 'http://127.0.0.1:1024/' });
  const { delivery, ...result } = await api.testWebhook(id);
  expect(result).toEqual({ id, delivered: false });
  expect(delivery.error).toBe('The connection failed (ECONNREFUSED).');
});

test('200: a redirect is not followed', async () => {
  const receiver = await keepReceiver(() => 302);
  const { id } = await api.createWebhook({ url: receiver.url });
  const { delivered, delivery } = await api.testWebhook(id);
  expect(delivered).toBe(false);
  expect(delivery.error).toBe('The receiver answered with status 302; redirects are not followed.');
});

test('200: a test that is accepted enables a disabled webhook again', async () => {
  const statuses = [410, 410, 200, 200];
  const receiver = await keepReceiver((n) => statuses[n] ?? 200);
  const { id, secret } = await api.createWebhook({ url: receiver.url });
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Watched' });
  const importText = (content: string) => api.importTextContent({ knowledgeBaseId, title: 'Note', content });
  const read = async () => (await api.listWebhooks()).data.find((webhook) => webhook.id === id);
  await importText('The first.');
  await expect.poll(async () => (await read())?.status, { timeout: 60_000 }).toBe('disabled');
  expect(await read()).toMatchObject({
    disabledAt: expect.any(String),
    disabledReason: 'The receiver answered with status 410: it wants no more events.',
  });
  await importText('Nobody hears of the second.');
  expect(await api.testWebhook(id)).toMatchObject({ delivered: false });
  expect((await read())?.status).toBe('disabled');
  expect(await api.testWebhook(id)).toMatchObject({ delivered: true });
  expect(await read()).toMatchObject({ status: 'enabled' });
  expect(await read()).not.toHaveProperty('disabledReason');
  const third = await importText('The third.');
  const events = await receiver.untilReceived(4, secret);
  expect(events.at(-1)).toMatchObject({ type: 'document.processed', data: { id: third.id } });
});

test('200: the log keeps the last 20 deliveries', async () => {
  const receiver = await keepReceiver();
  const { id } = await api.createWebhook({ url: receiver.url });
  const tests: string[] = [];
  for (let count = 0; count < 22; count += 1) tests.unshift((await api.testWebhook(id)).delivery.eventId);
  const { data } = await api.listWebhooks({ limit: 1 });
  expect(data[0]?.deliveries.map(({ eventId }) => eventId)).toEqual(tests.slice(0, 20));
});

test('404 WEBHOOK_NOT_FOUND: an unknown and a deleted webhook', async () => {
  const { id } = await api.createWebhook({ url: 'http://127.0.0.1:1024/' });
  await api.deleteWebhook(id);
  for (const webhookId of [UNKNOWN_WEBHOOK_ID, id])
    expectRefusal(await request('testWebhook', { webhookId }), 404, 'WEBHOOK_NOT_FOUND');
});
