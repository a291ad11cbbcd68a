/** The log of the deliveries of webhooks. */
import { sql } from 'kysely';
import type { WebhookDelivery, WebhookEventType } from '../../../../generated/types.gen.ts';
import type { Database, Queryable } from '../../connection/database.ts';
import { webhooksWith } from './webhook-events.ts';

/** Deliveries of a webhook that are shown, and kept. */
export const KEPT_DELIVERIES = 20;

/** An attempt to deliver an event. `status` null: no answer; `error` null: the receiver has accepted the event. */
export type Delivery = {
  eventId: string;
  eventType: WebhookEventType;
  attempt: number;
  sentAt: Date;
  durationMs: number;
  status: number | null;
  error: string | null;
};

/** The contract's delivery; `status` and `error` only where there is one. */
export const toDelivery = ({ sentAt, status, error, ...delivery }: Delivery): WebhookDelivery => ({
  ...delivery,
  sentAt: sentAt.toISOString(),
  ...(status !== null && { status }),
  ...(error !== null && { error }),
});

/** Adds attempts to a webhook's log, in their order. */
export async function logDeliveries(
  transaction: Queryable,
  webhook: { id: string; accountId: string },
  deliveries: Delivery[],
): Promise<void> {
  await transaction
    .insertInto('webhook_deliveries')
    .values(
      deliveries.map(({ eventId, eventType, attempt, sentAt, durationMs, status, error }) => ({
        webhook_id: webhook.id,
        account_id: webhook.accountId,
        event_id: eventId,
        event_type: eventType,
        attempt,
        sent_at: sentAt,
        duration_ms: durationMs,
        status,
        error,
      })),
    )
    .execute();
}

/** Removes from the log all but the last deliveries of each webhook, and all deliveries of deleted webhooks. */
export async function pruneDeliveries(database: Database): Promise<void> {
  await sql`
    DELETE FROM webhook_deliveries USING (
      SELECT webhook_id, CASE WHEN EXISTS (SELECT FROM webhooks WHERE id = webhook_id) THEN (
        SELECT position FROM webhook_deliveries AS delivery WHERE delivery.webhook_id = logged.webhook_id
        ORDER BY position DESC OFFSET ${KEPT_DELIVERIES} LIMIT 1) ELSE 9223372036854775807 END AS last_pruned
      FROM (${webhooksWith(sql`webhook_deliveries`)}) AS logged) AS pruned
    WHERE webhook_deliveries.webhook_id = pruned.webhook_id AND position <= last_pruned`.execute(database);
}
