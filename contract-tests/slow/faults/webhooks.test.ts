/** An event survives the death of its server: before it was sent, and while its receiver had it. */
import { expect, test } from 'vitest';
import type { CreatedWebhook, Document } from '../../../generated/types.gen.ts';
import { keepReceiver, verify } from '../../harness/calls/receiver.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  startService,
  withDataDirectory,
} from '../../harness/service/service-process.ts';

/** A killed server's lease ends after half a minute. */
const TIMEOUT_MS = 180_000;
const settings = { WEBHOOK_PRIVATE_NETWORKS: 'allow', LOG_LEVEL: 'fatal' };

/** A service with a knowledge base and a webhook. */
async function watch(service: RunningService, url: string) {
  const knowledgeBaseId = await createKnowledgeBase(service, 'Watched');
  const { secret } = await call<CreatedWebhook>(service, 'createWebhook', { url });
  const importText = (content: string) =>
    call<Document>(service, 'importTextContent', { knowledgeBaseId, title: 'Note', content });
  return { secret, importText };
}

test(
  'SIGKILL between change and delivery: the next server delivers the event',
  async () => {
    const receiver = await keepReceiver();
    await withDataDirectory(async (dataDirectory) => {
      const recording = await startService(dataDirectory, { settings, options: ['--no-worker'] });
      const { secret, importText } = await watch(recording, receiver.url);
      const document = await importText('A change that nobody has heard of.');
      await recording.kill();
      expect(receiver.received).toEqual([]);
      const service = await startService(dataDirectory, { settings });
      const [event] = await receiver.untilReceived(1, secret);
      expect(event).toMatchObject({ type: 'document.processed', data: document });
      await service.stop();
    });
  },
  TIMEOUT_MS,
);

test(
  'SIGKILL while the receiver has the event: it arrives again, with the same id and body',
  async () => {
    const receiver = await keepReceiver((n) => (n === 0 ? undefined : 204));
    await withDataDirectory(async (dataDirectory) => {
      const killed = await startService(dataDirectory, { settings });
      const { secret, importText } = await watch(killed, receiver.url);
      const document = await importText('A change that is told twice.');
      await receiver.untilReceived(1, secret);
      await killed.kill();
      const service = await startService(dataDirectory, { settings });
      await expect.poll(() => receiver.received.length, { timeout: 90_000 }).toBe(2);
      const [first, second] = receiver.received;
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
      expect(second?.body).toBe(first?.body);
      for (const each of receiver.received)
        expect(verify(each, secret)).toMatchObject({ data: { id: document.id } });
      await expect
        .poll(async () => await call<{ deliveries: object[] }[]>(service, 'listWebhooks'))
        .toMatchObject([{ status: 'enabled', deliveries: [{ attempt: 1, status: 204 }] }]);
      await service.stop();
    });
  },
  TIMEOUT_MS,
);
