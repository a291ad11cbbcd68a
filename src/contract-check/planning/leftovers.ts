/** What runs leave in the account when they are killed, or when a deletion fails; and the commands that delete it. */
import type { Answer } from '../requests/exchange.ts';
import { deleteCreated, type Remaining, RUN_NAME, RUN_WEBHOOK_URL } from './created.ts';
import type { Target } from './target.ts';

/** People copy the commands into a shell: a hostile service must not write a part of them. */
const COPYABLE_ID = /^[\w-]+$/;

/** `npx knowledge-retrieval kb delete 019… --url https://kr.example.org`: it asks before it deletes. */
const toCommand = (id: string, address: string): string =>
  `  npx knowledge-retrieval kb delete ${id} --url ${address}`;

/** A line for each: for a knowledge base the command, for a webhook that the next run deletes it. */
export function howToDelete(remaining: Remaining[], address: string): string[] {
  const webhooks = remaining.filter(({ kind }) => kind === 'webhook');
  const knowledgeBases = remaining.filter(
    ({ kind, id }) => kind === 'knowledge base' && COPYABLE_ID.test(id),
  );
  return [
    ...knowledgeBases.map(({ id }) => toCommand(id, address)),
    ...webhooks.map(({ id }) => `  webhook ${id}: the next run deletes it`),
  ];
}

/** The items of a list, whose answer has not been checked against the contract. */
function itemsOf({ body }: Answer): Record<string, unknown>[] {
  const { data } = (body ?? {}) as { data?: unknown }; // read below as what it may be
  return Array.isArray(data) ? data.filter((item) => typeof item === 'object' && item !== null) : [];
}

const idsOf = (items: Record<string, unknown>[]): string[] =>
  items.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));

const isOfRun = ({ name }: Record<string, unknown>): boolean =>
  typeof name === 'string' && name.startsWith(RUN_NAME);

/**
 * Looks for what an earlier run has left, in the newest page of each list. Webhooks are deleted: nobody listens at
 * their address, and an account may have only a few. Knowledge bases are returned, not deleted: a person may have made
 * one with such a name.
 */
export async function clearLeftovers(
  target: Target,
  lists: { webhooks: Answer; knowledgeBases: Answer },
): Promise<Remaining[]> {
  const webhooks = itemsOf(lists.webhooks).filter(({ url }) => url === RUN_WEBHOOK_URL);
  await deleteCreated(target, { made: new Set(), madeWebhooks: new Set(idsOf(webhooks)) });
  const knowledgeBases = itemsOf(lists.knowledgeBases).filter(isOfRun);
  return idsOf(knowledgeBases).map((id) => ({ kind: 'knowledge base', id }));
}
