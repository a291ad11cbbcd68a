/** Every event arrives, in order for its document, whatever the receiver and the servers do. */
import { randomUUID } from 'node:crypto';
import { type KyselyPlugin, type RawNode, sql } from 'kysely';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Document } from '../../../generated/types.gen.ts';
import { databaseNow } from '../../database/connection/clock.ts';
import { createAccount } from '../../database/rows/accounts.ts';
import {
  recordDocumentEvents,
  recordKnowledgeBaseDeletion,
} from '../../database/rows/webhooks/webhook-events.ts';
import { insertWebhook, listWebhookRows, requireWebhook } from '../../database/rows/webhooks/webhooks.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { createTelemetry, unmetered } from '../../telemetry/telemetry.ts';
import { formatScopedId } from '../../terms/ids.ts';
import { type Deliveries, pauseAfter, startDeliveries } from './deliver.ts';
import { createSecret } from './sign.ts';
import { type Answer, startReceiver, type TestReceiver } from './testing/receiver.ts';

const THREE_DAYS = 259_200;

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let started: Deliveries[];
let receivers: TestReceiver[];

beforeAll(async () => {
  server = await createTestDatabase();
});
afterAll(() => server.close());
beforeEach(() => {
  [started, receivers] = [[], []];
});
afterEach(async () => {
  await Promise.all(started.map(({ stop }) => stop(0)));
  await Promise.all(receivers.map(({ close }) => close()));
  await sql`TRUNCATE webhooks, webhook_events, webhook_deliveries`.execute(server.database);
});

function deliver(
  retrySeconds = THREE_DAYS,
  { database }: Pick<typeof server, 'database'> = server,
): Deliveries {
  const deliveries = startDeliveries({
    database,
    rules: { allowsPrivateReceivers: true },
    retrySeconds,
    telemetry: createTelemetry(unmetered),
    log: pino({ level: 'silent' }),
  });
  started.push(deliveries);
  return deliveries;
}

type Subscription = { accountId: string; knowledgeBaseId: string; webhookId: string; receiver: TestReceiver };

/** A webhook of a new account with one knowledge base, and its receiver. */
async function subscribe(answer?: Answer): Promise<Subscription> {
  const { database } = server;
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  const accountId = await createAccount(database, randomUUID(), 0);
  const knowledgeBaseId = uuidv7();
  const dates = { created_at: databaseNow, updated_at: databaseNow };
  await database
    .insertInto('knowledge_bases')
    .values({
      knowledge_base_id: knowledgeBaseId,
      account_id: accountId,
      name: 'a',
      description: '',
      ...dates,
    })
    .execute();
  const owner = { accountId, limit: 10, secret: createSecret() };
  const { id: webhookId } = await insertWebhook(database, { url: receiver.url }, owner);
  return { accountId, knowledgeBaseId, webhookId, receiver };
}

const newDocument = ({ knowledgeBaseId }: Subscription): Document => ({
  id: formatScopedId({ knowledgeBaseId, id: uuidv7() }),
  title: 'Tarsiers',
  type: 'text',
  size: 1,
  status: 'processed',
  createdAt: new Date().toISOString(),
});

const record = (
  owned: Subscription,
  type: 'document.processed' | 'document.deleted',
  ...documents: Document[]
) => recordDocumentEvents(server.database, owned, { type, documents });

const countWaiting = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM webhook_events`.execute(
    server.database,
  );
  return rows[0]?.count ?? -1;
};

const until = (condition: () => boolean | Promise<boolean>) =>
  vi.waitUntil(condition, { timeout: 25_000, interval: 20 });

/** Lets time pass for all pauses of webhooks and events. */
async function skipPauses(): Promise<void> {
  await sql`UPDATE webhook_events SET due_at = now() WHERE due_at > now()`.execute(server.database);
  await sql`UPDATE webhooks SET retry_at = now() WHERE retry_at > now()`.execute(server.database);
}

test('three servers deliver each of 500 events once, and those of a document in order', async () => {
  const subscription = await subscribe();
  const documents = Array.from({ length: 250 }, () => newDocument(subscription));
  for (let servers = 0; servers < 3; servers++) deliver();
  for (const document of documents) {
    await record(subscription, 'document.processed', document);
    await record(subscription, 'document.deleted', document);
  }
  const { received } = subscription.receiver;
  await until(async () => (await countWaiting()) === 0);
  expect(received).toHaveLength(500);
  expect(new Set(received.map(({ id }) => id)).size).toBe(500);
  for (const { id } of documents) {
    const types = received.flatMap(({ event }) => (event.data.id === id ? [event.type] : []));
    expect(types).toEqual(['document.processed', 'document.deleted']);
  }
});

test('an event that fails is sent again with the same id and body, and later ones of its document wait', async () => {
  let isDown = true;
  const subscription = await subscribe((_, __, ___, response) =>
    response.writeHead(isDown ? 500 : 200).end(),
  );
  const { received } = subscription.receiver;
  const [one, other] = [newDocument(subscription), newDocument(subscription)];
  await record(subscription, 'document.processed', one);
  await record(subscription, 'document.deleted', one);
  deliver();
  await until(() => received.length === 1);
  await until(async () => (await requireWebhook(server.database, subscription)).failures === 1);
  await skipPauses();
  await until(() => received.length === 2);
  expect(received[1]).toMatchObject({ id: received[0]?.id, body: received[0]?.body });
  isDown = false;
  await record(subscription, 'document.processed', other);
  await until(async () => (await requireWebhook(server.database, subscription)).failures === 2);
  await skipPauses();
  await until(async () => {
    await skipPauses();
    return (await countWaiting()) === 0;
  });
  const ofOne = received.flatMap(({ event }) => (event.data.id === one.id ? [event.type] : []));
  expect(ofOne.slice(2)).toEqual(['document.processed', 'document.deleted']);
  const { accountId } = subscription;
  const webhooks = await listWebhookRows(server.database, { accountId, after: undefined, limit: 10 });
  const log = webhooks.find(({ id }) => id === subscription.webhookId)?.deliveries;
  const attempts = log?.filter(({ eventId }) => eventId === received[0]?.id);
  expect(attempts?.map(({ attempt, status }) => [attempt, status])).toEqual([
    [3, 200],
    [2, 500],
    [1, 500],
  ]);
  expect((await requireWebhook(server.database, subscription)).failing_since).toBeNull();
});

test('an event that its receiver never accepts does not hold up the events of other documents', async () => {
  const subscription = await subscribe(({ event }, _, __, response) =>
    response.writeHead(event.data.id === poison.id ? 500 : 200).end(),
  );
  const poison = newDocument(subscription);
  await record(subscription, 'document.processed', poison);
  deliver(1);
  await until(() => subscription.receiver.received.length === 1);
  const documents = Array.from({ length: 50 }, () => newDocument(subscription));
  await record(subscription, 'document.processed', ...documents);
  await until(async () => {
    await sql`UPDATE webhooks SET retry_at = now() WHERE retry_at > now()`.execute(server.database);
    return (await countWaiting()) === 1;
  });
  // After its time is over, the event is given up, and the webhook stays enabled.
  await sql`UPDATE webhook_events SET due_at = now(), failing_since = now() - interval '1 minute'`.execute(
    server.database,
  );
  await until(async () => (await countWaiting()) === 0);
  expect((await requireWebhook(server.database, subscription)).disabled_at).toBeNull();
});

test('the deletion of a knowledge base comes after all events of its documents', async () => {
  const subscription = await subscribe();
  const documents = Array.from({ length: 40 }, () => newDocument(subscription));
  await record(subscription, 'document.processed', ...documents);
  await recordKnowledgeBaseDeletion(server.database, subscription);
  deliver();
  const { received } = subscription.receiver;
  await until(() => received.length === 41);
  expect(received.at(-1)?.event).toMatchObject({
    type: 'knowledgeBase.deleted',
    data: { id: subscription.knowledgeBaseId },
  });
});

test('a receiver that accepts nothing until the time is over is disabled, with the reason', async () => {
  const subscription = await subscribe((_, __, ___, response) => response.writeHead(503).end());
  await record(subscription, 'document.processed', newDocument(subscription), newDocument(subscription));
  deliver(1);
  await until(async () => {
    await skipPauses();
    return (await requireWebhook(server.database, subscription)).disabled_at !== null;
  });
  const { disabled_reason } = await requireWebhook(server.database, subscription);
  expect(disabled_reason).toMatch(
    /^The receiver has accepted nothing since \d{4}-.*Z\. Last problem: The receiver answered with status 503\.$/,
  );
});

test('a receiver that answers 410 is disabled at once', async () => {
  const subscription = await subscribe((_, __, ___, response) => response.writeHead(410).end());
  await record(subscription, 'document.processed', newDocument(subscription));
  deliver();
  await until(async () => (await requireWebhook(server.database, subscription)).disabled_at !== null);
  expect(subscription.receiver.received).toHaveLength(1);
});

test('a receiver gets at most four events at a time', async () => {
  const subscription = await subscribe((_, __, ___, response) => {
    setTimeout(() => response.writeHead(200).end(), 50);
  });
  await record(
    subscription,
    'document.processed',
    ...Array.from({ length: 60 }, () => newDocument(subscription)),
  );
  for (let servers = 0; servers < 2; servers++) deliver();
  await until(() => subscription.receiver.received.length === 60);
  expect(subscription.receiver.open.most).toBe(4);
});

test('receivers that never answer do not hold up another account', async () => {
  const silent = await Promise.all(Array.from({ length: 20 }, () => subscribe(() => {})));
  for (const each of silent)
    await record(each, 'document.processed', ...Array.from({ length: 10 }, () => newDocument(each)));
  deliver();
  await until(() => silent.filter(({ receiver }) => receiver.open.now > 0).length >= 16);
  const subscription = await subscribe();
  await record(subscription, 'document.processed', newDocument(subscription));
  await until(() => subscription.receiver.received.length === 1);
  // The others still wait for their answers.
  expect(silent.filter(({ receiver }) => receiver.open.now > 0).length).toBeGreaterThanOrEqual(16);
});

test('an account with many receivers that never answer leaves leases to another account', async () => {
  const first = await subscribe(() => {});
  for (let i = 0; i < 9; i++) {
    const owner = { accountId: first.accountId, limit: 10, secret: createSecret() };
    await insertWebhook(server.database, { url: first.receiver.url }, owner);
  }
  await record(first, 'document.processed', ...Array.from({ length: 10 }, () => newDocument(first)));
  deliver();
  await until(() => first.receiver.open.now > 0);
  const subscription = await subscribe();
  await record(subscription, 'document.processed', newDocument(subscription));
  await until(() => subscription.receiver.received.length === 1);
});

test('a server that stops hands its events to another server', async () => {
  let isSilent = true;
  const subscription = await subscribe((_, __, ___, response) => {
    if (!isSilent) response.writeHead(200).end();
  });
  const { received } = subscription.receiver;
  await record(subscription, 'document.processed', newDocument(subscription));
  const { stop } = deliver();
  await until(() => received.length === 1);
  await stop(0);
  isSilent = false;
  deliver();
  await until(async () => (await countWaiting()) === 0);
  expect(received.map(({ id }) => id)).toEqual([received[0]?.id, received[0]?.id]);
});

/** The test database, whose answer to the next statement that matches waits for `resume`. `reached`: it waits. */
function pausedAfter(statement: RegExp) {
  const [reached, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const pausing = new WeakSet<object>();
  let isPaused = false;
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const text = node.kind === 'RawNode' ? (node as RawNode).sqlFragments.join('') : '';
      if (!isPaused && statement.test(text)) {
        isPaused = true;
        pausing.add(queryId);
      }
      return node;
    },
    async transformResult({ result, queryId }) {
      if (pausing.has(queryId)) {
        reached.resolve();
        await resumed.promise;
      }
      return result;
    },
  };
  const database = server.database.withPlugin(plugin);
  return { database, reached: reached.promise, resume: resumed.resolve };
}

/** Ends all leases, as their time does. */
const endLeases = () => sql`UPDATE webhooks SET leased_until = now()`.execute(server.database);

test('a server that is paused after it has read its events sends none of them after others have', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const subscription = await subscribe();
    const document = newDocument(subscription);
    await record(subscription, 'document.processed', document);
    const paused = pausedAfter(/created_at AS "createdAt", attempts/);
    const { end } = deliver(THREE_DAYS, paused);
    await paused.reached;
    await end();
    vi.advanceTimersByTime(31_000);
    await endLeases();
    deliver();
    await until(async () => (await countWaiting()) === 0);
    await record(subscription, 'document.deleted', document);
    await until(async () => (await countWaiting()) === 0);
    paused.resume();
    await started[0]?.stop();
    expect(subscription.receiver.received.map(({ event }) => event.type)).toEqual([
      'document.processed',
      'document.deleted',
    ]);
  } finally {
    vi.useRealTimers();
  }
});

test('a server whose lease another one has taken over records no failure', async () => {
  let answerLate = () => {};
  const subscription = await subscribe((_, n, __, response) => {
    if (n > 0) response.writeHead(204).end();
    else answerLate = () => void response.writeHead(410).end();
  });
  const { received } = subscription.receiver;
  await record(subscription, 'document.processed', newDocument(subscription));
  const { end, stop } = deliver();
  await until(() => received.length === 1);
  await end();
  await endLeases();
  deliver();
  await until(async () => (await countWaiting()) === 0);
  answerLate();
  await stop(5_000);
  expect(received.map(({ id }) => id)).toEqual([received[0]?.id, received[0]?.id]);
  expect(await requireWebhook(server.database, subscription)).toMatchObject({
    disabled_at: null,
    failures: 0,
  });
});

test('pauses double from five seconds to an hour, and vary', () => {
  for (const [failures, seconds] of [
    [1, 5],
    [2, 10],
    [5, 80],
    [11, 3_600],
    [1_000, 3_600],
  ] as const) {
    const pauses = Array.from({ length: 100 }, () => pauseAfter(failures));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(seconds / 2);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(seconds);
    expect(new Set(pauses).size).toBeGreaterThan(90);
  }
});
