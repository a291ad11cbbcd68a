/** The leases of webhooks: one server at a time delivers to each. */
import { sql } from 'kysely';
import { databaseNow } from '../../connection/clock.ts';
import type { Database, Queryable } from '../../connection/database.ts';
import { webhooksWith } from './webhook-events.ts';

/** A webhook with events that are due, and its owner. */
export type DueWebhook = { id: string; accountId: string };

/** Finds the webhooks that may be leased now: they have events that are due, and no other server delivers to them. */
export async function findDueWebhooks(database: Database): Promise<DueWebhook[]> {
  const { rows } = await sql<DueWebhook>`
    SELECT id, account_id AS "accountId"
    FROM (${webhooksWith(sql`webhook_events`)}) AS waiting JOIN webhooks ON id = webhook_id
    WHERE disabled_at IS NULL AND retry_at <= now() AND (leased_until IS NULL OR leased_until <= now())
      AND EXISTS (
        SELECT FROM webhook_events AS event WHERE event.webhook_id = waiting.webhook_id AND due_at <= now())`.execute(
    database,
  );
  return rows;
}

/** A lease lasts twice as long as it is used. When its server dies, another one takes the webhook over afterwards. */
const LEASE_SECONDS = 30;

/** The lease of a webhook: this server alone delivers to it. */
export type Lease = DueWebhook & {
  url: string;
  secret: Buffer;
  /** How many leases in a row have failed. */
  failures: number;
  failingSince: Date | null;
  /** Whether the receiver has failed for so long that it is disabled after one more failure. */
  isOverdue: boolean;
  /** By the database's clock. */
  beganAt: Date;
  leasedUntil: Date;
};

/** Leases a webhook; undefined when another server has been faster, or the webhook is gone or disabled. */
export async function takeLease(
  database: Database,
  webhookId: string,
  retrySeconds: number,
): Promise<Lease | undefined> {
  const { rows } = await sql<Lease>`
    UPDATE webhooks SET leased_until = ${databaseNow} + make_interval(secs => ${LEASE_SECONDS})
    WHERE id = ${webhookId} AND disabled_at IS NULL AND retry_at <= now()
      AND (leased_until IS NULL OR leased_until <= now())
    RETURNING id, account_id AS "accountId", url, secret, failures, failing_since AS "failingSince",
      coalesce(failing_since <= now() - make_interval(secs => ${retrySeconds}), false) AS "isOverdue",
      ${databaseNow} AS "beganAt", leased_until AS "leasedUntil"`.execute(database);
  return rows[0];
}

/** What a lease has shown about the receiver; undefined: nothing, since nothing was sent. */
export type Outcome = { works: true } | { works: false; retrySeconds: number } | undefined;

/** What an outcome changes in the row of its webhook. */
export const outcomeColumns = (outcome: Outcome) => {
  if (outcome === undefined) return {};
  if (outcome.works) return { failures: 0, failing_since: null };
  return {
    failures: sql<number>`failures + 1`,
    failing_since: sql<Date>`coalesce(failing_since, ${databaseNow})`,
    retry_at: sql<Date>`now() + make_interval(secs => ${outcome.retrySeconds})`,
  };
};

/**
 * Ends the lease of a webhook.
 * @returns false when another server has taken over meanwhile: then nothing is changed
 */
export async function endLease(
  transaction: Queryable,
  { id, leasedUntil }: Lease,
  outcome: Outcome,
): Promise<boolean> {
  const ended = await transaction
    .updateTable('webhooks')
    .set({ ...outcomeColumns(outcome), leased_until: null })
    .where('id', '=', id)
    .where('leased_until', '=', leasedUntil)
    .executeTakeFirst();
  return ended.numUpdatedRows === 1n;
}
