/** The operations on webhooks. */
import { readDatabaseTime } from '../database/connection/clock.ts';
import { requireKnowledgeBases } from '../database/rows/knowledge-bases.ts';
import { logDeliveries, toDelivery } from '../database/rows/webhooks/deliveries.ts';
import {
  deleteWebhookRow,
  enableWebhook,
  insertWebhook,
  listWebhookRows,
  requireWebhook,
  toWebhook,
} from '../database/rows/webhooks/webhooks.ts';
import { requireReceiver } from '../outbound/webhooks/receivers.ts';
import { createSecret, formatSecret } from '../outbound/webhooks/sign.ts';
import { parseKnowledgeBaseIds, parseWebhookId } from '../terms/ids.ts';
import { requirePlainAddress } from '../terms/plain-address.ts';
import type { Handlers } from './handler-types.ts';
import { byCreation, parseCursor, toPage } from './pagination.ts';

/** The name of this list in its cursors. */
const LIST = 'webhooks';

export const webhookHandlers = {
  async createWebhook(
    input,
    { accountId, allowedKnowledgeBases, config, diskWatermark, transact, withoutPermit },
  ) {
    const { url } = input;
    await diskWatermark.require(0);
    requirePlainAddress('url', url);
    await withoutPermit(() => requireReceiver(url, config));
    const events = input.events && [...new Set(input.events)];
    const knowledgeBaseIds =
      input.knowledgeBaseIds && parseKnowledgeBaseIds(input.knowledgeBaseIds, allowedKnowledgeBases);
    const secret = createSecret();
    const data = await transact(async (transaction) => {
      await requireKnowledgeBases(transaction, accountId, knowledgeBaseIds ?? []);
      const subscription = { url, events, knowledgeBaseIds };
      const owner = { accountId, limit: config.webhookLimit, secret };
      const row = await insertWebhook(transaction, subscription, owner);
      return { ...toWebhook(row), secret: formatSecret(secret) };
    });
    return { data };
  },

  async listWebhooks({ limit = 1000, cursor }, { database, accountId }) {
    const after = parseCursor(LIST, cursor, byCreation);
    const rows = await listWebhookRows(database, { accountId, after, limit: limit + 1 });
    const { page, pagination } = toPage(rows, {
      list: LIST,
      limit,
      positionOf: ({ created_at, id }) => byCreation.write({ createdAt: created_at, id }),
    });
    return { data: page.map((row) => ({ ...toWebhook(row), deliveries: row.deliveries })), pagination };
  },

  async deleteWebhook(input, { database, accountId }) {
    const webhookId = parseWebhookId(input.webhookId);
    await deleteWebhookRow(database, { accountId, webhookId });
    return { data: { id: webhookId } };
  },

  async testWebhook(input, { database, accountId, signal, remainingWait, sendTest, withoutPermit }) {
    const webhookId = parseWebhookId(input.webhookId);
    const { url, secret } = await requireWebhook(database, { accountId, webhookId });
    const createdAt = await readDatabaseTime(database);
    const { delivery, answer } = await withoutPermit(() =>
      sendTest({ id: webhookId, accountId, url, secret }, { createdAt, signal: signal(), remainingWait }),
    );
    const delivered = delivery.error === null;
    await database.transaction().execute(async (transaction) => {
      await logDeliveries(transaction, { id: webhookId, accountId }, [delivery]);
      if (delivered) await enableWebhook(transaction, webhookId);
    });
    return {
      data: {
        id: webhookId,
        delivered,
        delivery: toDelivery(delivery),
        ...(answer !== undefined && { answer }),
      },
    };
  },
} satisfies Partial<Handlers>;
