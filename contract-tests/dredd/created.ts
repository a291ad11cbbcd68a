/** What a run has created in the account, so that its end can delete it. */
import { toSent } from '../harness/calling.ts';
import { exchange } from '../harness/exchange.ts';
import type { Target } from './target.ts';

/** The ids of the knowledge bases and of the webhooks of a run. */
export type Created = { made: Set<string>; madeWebhooks: Set<string> };

export const nothingCreated = (): Created => ({ made: new Set(), madeWebhooks: new Set() });

/** Time-out of each deletion, in milliseconds. */
const TIMEOUT_MS = 10_000;

const DELETED = [200, 404];

/**
 * Deletes everything, and tries no more after a request without an answer. The answers' statuses suffice here: a service
 * that breaks the contract must not keep the rest.
 * @returns what remains, such as `knowledge base <id>`
 */
export async function deleteCreated(
  { address, apiKey }: Target,
  { made, madeWebhooks }: Created,
): Promise<string[]> {
  const remaining: string[] = [];
  let isGone = false;
  const remove = async (kind: string, id: string, sent: ReturnType<typeof toSent>) => {
    const headers = { ...sent.headers, 'x-api-key': apiKey };
    const answer = isGone
      ? undefined
      : await exchange(address, { ...sent, headers }, TIMEOUT_MS).catch(() => undefined);
    isGone = answer === undefined;
    if (answer === undefined || !DELETED.includes(answer.status)) remaining.push(`${kind} ${id}`);
  };
  for (const webhookId of madeWebhooks)
    await remove('webhook', webhookId, toSent('deleteWebhook', { webhookId }));
  for (const knowledgeBaseId of made)
    await remove('knowledge base', knowledgeBaseId, toSent('deleteKnowledgeBase', { knowledgeBaseId }));
  madeWebhooks.clear();
  made.clear();
  return remaining;
}
