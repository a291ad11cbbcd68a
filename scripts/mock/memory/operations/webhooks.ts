/** The operations on webhooks. The mock sends no events: a test of a webhook succeeds without a request. */
import { v7 as uuidv7 } from 'uuid';
import type { Webhook, WebhookDelivery } from '../../../../generated/types.gen.ts';
import { findReceiverProblem } from '../../../../src/outbound/webhooks/receivers.ts';
import { createSecret, formatSecret } from '../../../../src/outbound/webhooks/sign.ts';
import { validationFailed, webhookLimitExceeded } from '../../../../src/terms/errors.ts';
import { requireKnowledgeBases, requireMemory, requireWebhook, SETTINGS } from '../state.ts';
import type { MemoryAnswers } from './answer-types.ts';
import { pageOf } from './pages.ts';

/** The name of this list in its cursors. */
const LIST = 'webhooks';
/** The attempts that the log of a webhook keeps. */
const DELIVERIES_MAX = 20;

export const webhookAnswers = {
  createWebhook({ url, events, knowledgeBaseIds }, { state }) {
    const problem = findReceiverProblem(url, { allowsPrivateReceivers: false });
    if (problem !== undefined) throw validationFailed([], { url: [problem] });
    const ids = knowledgeBaseIds && requireKnowledgeBases(state, knowledgeBaseIds);
    const { webhookLimit: limit } = SETTINGS;
    const used = state.webhooks.size;
    if (used >= limit) throw webhookLimitExceeded({ limit, used });
    requireMemory(state, url.length);
    const created: Omit<Webhook, 'deliveries'> = {
      id: uuidv7(),
      url,
      ...(events && { events: [...new Set(events)] }),
      ...(ids && { knowledgeBaseIds: ids }),
      createdAt: state.now().toISOString(),
      status: 'enabled',
    };
    state.webhooks.set(created.id, { ...created, deliveries: [] });
    return { data: { ...created, secret: formatSecret(createSecret()) } };
  },

  listWebhooks(input, { state }) {
    const createdAt = (webhook: Webhook) => new Date(webhook.createdAt);
    const { page, pagination } = pageOf(LIST, [...state.webhooks.values()], { ...input, createdAt });
    return { data: page, pagination };
  },

  deleteWebhook({ webhookId }, { state }) {
    requireWebhook(state, webhookId);
    state.webhooks.delete(webhookId);
    return { data: { id: webhookId } };
  },

  testWebhook({ webhookId }, { state }) {
    const webhook = requireWebhook(state, webhookId);
    const delivery: WebhookDelivery = {
      eventId: uuidv7(),
      eventType: 'webhook.test',
      attempt: 1,
      sentAt: state.now().toISOString(),
      durationMs: 41,
      status: 200,
    };
    webhook.deliveries = [delivery, ...webhook.deliveries].slice(0, DELIVERIES_MAX);
    return { data: { id: webhookId, delivered: true, delivery, answer: 'ok' } };
  },
} satisfies Partial<MemoryAnswers>;
