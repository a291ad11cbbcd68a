/** Webhooks: their rows, and their form in the contract. */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { SubscribableEventType, Webhook, WebhookDelivery } from '../../../../generated/types.gen.ts';
import { webhookLimitExceeded, webhookNotFound } from '../../../terms/errors.ts';
import { databaseNow } from '../../connection/clock.ts';
import type { Database, Queryable } from '../../connection/database.ts';
import { prepareRead } from '../../connection/prepared.ts';
import type { Tables } from '../../schema/tables.ts';
import { BEFORE_ALL, type RowPosition } from '../row-position.ts';
import { type Delivery, KEPT_DELIVERIES, toDelivery } from './deliveries.ts';
import { outcomeColumns } from './leases.ts';
import { webhooksWith } from './webhook-events.ts';

export type WebhookRow = Selectable<Tables['webhooks']>;

/** What a list shows of a webhook. */
type ListedWebhook = Pick<
  WebhookRow,
  | 'id'
  | 'url'
  | 'events'
  | 'knowledge_base_ids'
  | 'created_at'
  | 'failing_since'
  | 'disabled_at'
  | 'disabled_reason'
>;

/** The contract's webhook, without its deliveries. */
export const toWebhook = (row: ListedWebhook): Omit<Webhook, 'deliveries'> => ({
  id: row.id,
  url: row.url,
  ...(row.events !== null && { events: row.events }),
  ...(row.knowledge_base_ids !== null && { knowledgeBaseIds: row.knowledge_base_ids }),
  createdAt: row.created_at.toISOString(),
  status: row.disabled_at === null ? 'enabled' : 'disabled',
  ...(row.failing_since !== null && { failingSince: row.failing_since.toISOString() }),
  ...(row.disabled_at !== null && { disabledAt: row.disabled_at.toISOString() }),
  ...(row.disabled_reason !== null && { disabledReason: row.disabled_reason }),
});

/**
 * Locks the account until the transaction ends, and counts its webhooks.
 * @throws WEBHOOK_LIMIT_EXCEEDED unless it may have another one
 */
async function requireWebhookAllowance(
  transaction: Queryable,
  { accountId, limit }: { accountId: string; limit: number },
): Promise<void> {
  await sql`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`.execute(transaction);
  const { rows } = await sql<{ used: number }>`
    SELECT count(*) AS used FROM webhooks WHERE account_id = ${accountId}`.execute(transaction);
  const used = rows[0]?.used ?? 0;
  if (used >= limit) throw webhookLimitExceeded({ limit, used });
}

/** What a webhook sends, and where. Undefined: all events, or the events of all knowledge bases. */
type Subscription = {
  url: string;
  events?: SubscribableEventType[] | undefined;
  knowledgeBaseIds?: string[] | undefined;
};

/**
 * Creates a webhook of an account.
 * @throws WEBHOOK_LIMIT_EXCEEDED
 */
export async function insertWebhook(
  transaction: Queryable,
  { url, events, knowledgeBaseIds }: Subscription,
  { secret, ...account }: { accountId: string; limit: number; secret: Buffer },
): Promise<WebhookRow> {
  await requireWebhookAllowance(transaction, account);
  return await transaction
    .insertInto('webhooks')
    .values({
      id: uuidv7(),
      account_id: account.accountId,
      url,
      secret,
      events: events ?? null,
      knowledge_base_ids: knowledgeBaseIds ?? null,
      created_at: databaseNow,
      retry_at: databaseNow,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

type OwnedWebhook = { accountId: string; webhookId: string };

/** @throws WEBHOOK_NOT_FOUND unless the account has this webhook */
export async function requireWebhook(
  database: Queryable,
  { accountId, webhookId }: OwnedWebhook,
): Promise<WebhookRow> {
  const row = await database
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', webhookId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (row === undefined) throw webhookNotFound();
  return row;
}

/**
 * Deletes a webhook. Its events and deliveries stay until the next garbage collection: they may be many.
 * @throws WEBHOOK_NOT_FOUND
 */
export async function deleteWebhookRow(
  database: Queryable,
  { accountId, webhookId }: OwnedWebhook,
): Promise<void> {
  const deleted = await database
    .deleteFrom('webhooks')
    .where('id', '=', webhookId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (deleted.numDeletedRows === 0n) throw webhookNotFound();
}

const PAGE_VALUES = ['accountId', 'createdAt', 'id', 'limit'] as const;

const pageOf = (
  { accountId, createdAt, id, limit }: Record<(typeof PAGE_VALUES)[number], RawBuilder<unknown>>,
  columns: RawBuilder<unknown>,
) => sql<ListedWebhook>`
  SELECT ${columns} FROM webhooks
  WHERE account_id = ${accountId}::uuid AND (created_at, id) < (${createdAt}::timestamptz, ${id}::uuid)
  ORDER BY created_at DESC, id DESC LIMIT ${limit}::integer`;

const listRows = prepareRead('list_webhooks', PAGE_VALUES, (page) =>
  pageOf(
    page,
    sql`id, url, events, knowledge_base_ids, created_at, failing_since, disabled_at, disabled_reason`,
  ),
);

const findDeliveries = prepareRead(
  'list_webhook_deliveries',
  PAGE_VALUES,
  (page) => sql<Delivery & { webhookId: string }>`
    SELECT webhook_id AS "webhookId", event_id AS "eventId", event_type AS "eventType", attempt,
      sent_at AS "sentAt", duration_ms AS "durationMs", status, error
    FROM (${pageOf(page, sql`id`)}) AS webhook
      CROSS JOIN LATERAL (
        SELECT * FROM webhook_deliveries WHERE webhook_id = webhook.id
        ORDER BY position DESC LIMIT ${sql.lit(KEPT_DELIVERIES)}) AS delivery
    ORDER BY webhook_id, position DESC`,
);

type WebhookPage = { accountId: string; after: RowPosition | undefined; limit: number };

/**
 * A page of the account's webhooks, the newest first: those created before `after`. `deliveries`: the last ones of
 * each, the newest first. By default an account has ten webhooks at most, so no page is long.
 */
export async function listWebhookRows(
  database: Queryable,
  { accountId, after = BEFORE_ALL, limit }: WebhookPage,
): Promise<(ListedWebhook & { deliveries: WebhookDelivery[] })[]> {
  const page = { accountId, ...after, limit };
  const [rows, delivered] = await Promise.all([listRows(database, page), findDeliveries(database, page)]);
  const deliveries = new Map(rows.map(({ id }): [string, WebhookDelivery[]] => [id, []]));
  for (const { webhookId, ...delivery } of delivered) deliveries.get(webhookId)?.push(toDelivery(delivery));
  return rows.map((row) => ({ ...row, deliveries: deliveries.get(row.id) ?? [] }));
}

/** Disables a webhook: nothing is recorded for it or sent to it any more. */
export async function disableWebhook(database: Queryable, webhookId: string, reason: string): Promise<void> {
  await database
    .updateTable('webhooks')
    .set({ disabled_at: databaseNow, disabled_reason: reason })
    .where('id', '=', webhookId)
    .where('disabled_at', 'is', null)
    .execute();
}

/** Enables a webhook whose receiver works. Events are recorded for it from now on. */
export async function enableWebhook(database: Queryable, webhookId: string): Promise<void> {
  await database
    .updateTable('webhooks')
    .set({
      ...outcomeColumns({ works: true }),
      retry_at: databaseNow,
      disabled_at: null,
      disabled_reason: null,
    })
    .where('id', '=', webhookId)
    .execute();
}

/**
 * Waiting events of one webhook. They take about a gigabyte, and the waiting events of all webhooks of an account no
 * more than the default storage limit.
 */
const MOST_WAITING = 1_000_000;

/** Disables webhooks for which too many events wait. Returns their ids. */
export async function disableOverfullWebhooks(database: Database, most = MOST_WAITING): Promise<string[]> {
  const reason = `More than ${most} events waited for the receiver.`;
  const { rows } = await sql<{ id: string }>`
    UPDATE webhooks SET disabled_at = ${databaseNow}, disabled_reason = ${reason}
    FROM (${webhooksWith(sql`webhook_events`)}) AS waiting
    WHERE id = waiting.webhook_id AND disabled_at IS NULL AND EXISTS (
      SELECT FROM webhook_events AS event WHERE event.webhook_id = waiting.webhook_id
      ORDER BY position OFFSET ${most} LIMIT 1)
    RETURNING id`.execute(database);
  return rows.map(({ id }) => id);
}
