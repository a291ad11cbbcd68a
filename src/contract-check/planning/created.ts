/** What a run has created in the account, so that its end can delete it. */
import { setTimeout as delay } from 'node:timers/promises';
import { toSent } from '../requests/calling.ts';
import { type Answer, exchange, type Sent } from '../requests/exchange.ts';
import type { Target } from './target.ts';

/** The names of the knowledge bases of runs begin so. */
export const RUN_NAME = 'Contract run';
/** Webhooks of runs have this address. Nobody listens there: the host's name is reserved (RFC 2606). */
export const RUN_WEBHOOK_URL = 'https://hooks.example.com/contract-run';

/** The ids of the knowledge bases and of the webhooks of a run. */
export type Created = { made: Set<string>; madeWebhooks: Set<string> };

export const nothingCreated = (): Created => ({ made: new Set(), madeWebhooks: new Set() });

/** Time-out of each deletion, in milliseconds. */
const TIMEOUT_MS = 10_000;

const DELETED = [200, 404];

const LIMITED = 429;
/** All waits for a service that limits requests: two periods of a minute. */
const WAIT_MAX_MS = 120_000;

/** A Retry-After in seconds, as milliseconds. Dates are not read. */
function waitOf({ headers }: Answer): number {
  const seconds = Number(headers['retry-after']);
  return seconds > 0 ? seconds * 1000 : 1000;
}

/** Something that could not be deleted. */
export type Remaining = { kind: 'knowledge base' | 'webhook'; id: string };

/**
 * Deletes everything, and tries no more after a request without an answer. A 429 is waited out. The answers' statuses
 * suffice here: a service that breaks the contract must not keep the rest.
 * @returns what remains
 */
export async function deleteCreated(
  { address, apiKey }: Target,
  { made, madeWebhooks }: Created,
): Promise<Remaining[]> {
  const remaining: Remaining[] = [];
  let isGone = false;
  let waitLeftMs = WAIT_MAX_MS;
  const send = async (sent: Sent): Promise<Answer | undefined> => {
    const answer = await exchange(address, sent, TIMEOUT_MS).catch(() => undefined);
    if (answer?.status !== LIMITED) return answer;
    const waitMs = waitOf(answer);
    if (waitMs > waitLeftMs) return answer;
    waitLeftMs -= waitMs;
    await delay(waitMs);
    return await send(sent);
  };
  const remove = async (kind: Remaining['kind'], id: string, sent: Sent) => {
    const headers = { ...sent.headers, 'x-api-key': apiKey };
    const answer = isGone ? undefined : await send({ ...sent, headers });
    isGone = answer === undefined;
    if (answer === undefined || !DELETED.includes(answer.status)) remaining.push({ kind, id });
  };
  for (const webhookId of madeWebhooks)
    await remove('webhook', webhookId, toSent('deleteWebhook', { webhookId }));
  for (const knowledgeBaseId of made)
    await remove('knowledge base', knowledgeBaseId, toSent('deleteKnowledgeBase', { knowledgeBaseId }));
  madeWebhooks.clear();
  made.clear();
  return remaining;
}
