/**
 * The events that wait for their delivery. Each is recorded in the transaction of the change that it tells of, once for
 * each webhook that receives it. So neither exists without the other, whatever happens to the server.
 */
import { type RawBuilder, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Document, SubscribableEventType } from '../../../../generated/types.gen.ts';
import { parseDocumentId } from '../../../terms/ids.ts';
import { databaseNow } from '../../connection/clock.ts';
import type { Database, Queryable } from '../../connection/database.ts';
import { prepare } from '../../connection/prepared.ts';

/**
 * SQL for whether an account has webhooks. The statements that begin an import or end a document return it, so that
 * accounts without webhooks need no statement for events.
 */
export const hasWebhooks = (accountId: RawBuilder<unknown>) => sql<boolean>`EXISTS (
  SELECT 1 FROM webhooks WHERE webhooks.account_id = ${accountId}::uuid AND disabled_at IS NULL)`;

/** SQL for whether a webhook receives an event. */
const receives = (type: RawBuilder<unknown>, knowledgeBaseId: RawBuilder<unknown>) => sql`(
  disabled_at IS NULL AND (events IS NULL OR ${type} = ANY (events))
    AND (knowledge_base_ids IS NULL OR ${knowledgeBaseId}::uuid = ANY (knowledge_base_ids)))`;

const lockLive = prepare(
  'lock_for_events',
  ['knowledgeBaseId'],
  ({ knowledgeBaseId }) => sql`
    SELECT 1 FROM knowledge_bases WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND deleted_at IS NULL
    FOR KEY SHARE`,
);

/**
 * Keeps the knowledge base from being deleted until the commit: no event of a document may follow the event of that
 * deletion. A statement of its own, because Citus locks no rows for a table on the coordinator.
 * @returns false when it is deleted already
 */
export const keepFromDeletion = async (transaction: Queryable, knowledgeBaseId: string): Promise<boolean> =>
  (await lockLive(transaction, { knowledgeBaseId })).length > 0;

const insertDocumentEvents = prepare(
  'insert_document_events',
  ['knowledgeBaseId', 'accountId', 'type', 'ids', 'documentIds', 'data'],
  ({ knowledgeBaseId, accountId, type, ids, documentIds, data }) => sql`
    INSERT INTO webhook_events (webhook_id, account_id, id, type, knowledge_base_id, document_id, data, created_at,
      due_at)
    SELECT webhooks.id, account_id, event.id, ${type}::text, ${knowledgeBaseId}::uuid, event.document_id, event.data,
      ${databaseNow}, now()
    FROM webhooks
      CROSS JOIN unnest(${ids}::uuid[], ${documentIds}::uuid[], ${data}::json[]) AS event (id, document_id, data)
    WHERE account_id = ${accountId}::uuid AND ${receives(sql`${type}::text`, knowledgeBaseId)}`,
);

/**
 * Records an event of each of these documents, which are in one knowledge base. The caller has locked it, and then
 * inserted or locked their rows in this transaction, so that the events of a document are in the order of its changes.
 */
export async function recordDocumentEvents(
  transaction: Queryable,
  owned: { accountId: string; knowledgeBaseId: string },
  { type, documents }: { type: SubscribableEventType; documents: Document[] },
): Promise<void> {
  await insertDocumentEvents(transaction, {
    ...owned,
    type,
    ids: documents.map(() => uuidv7()),
    documentIds: documents.map(({ id }) => parseDocumentId(id, undefined).id),
    data: documents.map((document) => JSON.stringify(document)),
  });
}

const DELETED_KNOWLEDGE_BASE = 'knowledgeBase.deleted' satisfies SubscribableEventType;

/** Records the deletion of a whole knowledge base, whose row the caller has marked in this transaction. */
export async function recordKnowledgeBaseDeletion(
  transaction: Queryable,
  { accountId, knowledgeBaseId }: { accountId: string; knowledgeBaseId: string },
): Promise<void> {
  await sql`
    INSERT INTO webhook_events (webhook_id, account_id, id, type, knowledge_base_id, data, created_at, due_at)
    SELECT id, account_id, ${uuidv7()}, ${DELETED_KNOWLEDGE_BASE}, ${knowledgeBaseId}::uuid,
      ${JSON.stringify({ id: knowledgeBaseId })}, ${databaseNow}, now()
    FROM webhooks WHERE account_id = ${accountId}
      AND ${receives(sql`${DELETED_KNOWLEDGE_BASE}`, sql`${knowledgeBaseId}`)}`.execute(transaction);
}

/** An event that a webhook may receive now. */
export type DueEvent = {
  position: number;
  id: string;
  type: SubscribableEventType;
  data: object;
  createdAt: Date;
  /** How many attempts have failed. */
  attempts: number;
  /** Whether the time for its attempts is over, so that the next one is the last. */
  isOverdue: boolean;
};

/** SQL for a column of one event that must be received before the row `event`; NULL if there is none. */
const ofEarlier = (column: RawBuilder<unknown>, isOfDocument: RawBuilder<unknown>) => sql`(
  SELECT ${column} FROM webhook_events AS earlier
  WHERE earlier.webhook_id = event.webhook_id AND earlier.knowledge_base_id = event.knowledge_base_id
    AND ${isOfDocument} AND earlier.position < event.position
  ORDER BY earlier.document_id, earlier.position LIMIT 1)`;

/**
 * SQL for a column of the event that blocks `event`: the oldest event of its document; for the deletion of a knowledge
 * base, any event of that. NULL if none blocks it. A scalar subquery for each case reads one entry
 * of an index. As one NOT EXISTS, PostgreSQL joined 100,000 waiting events by a hash of their knowledge base.
 */
const ofBlocking = (column: RawBuilder<unknown>) => sql`
  CASE WHEN event.document_id IS NULL THEN ${ofEarlier(column, sql`true`)}
    ELSE ${ofEarlier(column, sql`earlier.document_id = event.document_id`)} END`;

/**
 * Returns the events that a webhook may receive now, those that have waited longest first: at most one for each
 * document, the oldest. The deletion of a knowledge base comes after all events of its documents.
 */
export async function findDueEvents(
  database: Database,
  webhookId: string,
  { limit, retrySeconds }: { limit: number; retrySeconds: number },
): Promise<DueEvent[]> {
  const { rows } = await sql<DueEvent>`
    SELECT position, id, type, data, created_at AS "createdAt", attempts,
      coalesce(failing_since <= now() - make_interval(secs => ${retrySeconds}), false) AS "isOverdue"
    FROM webhook_events AS event
    WHERE webhook_id = ${webhookId} AND due_at <= now()
      AND (${ofBlocking(sql`earlier.position`)}) IS NULL
    ORDER BY due_at, position LIMIT ${limit}`.execute(database);
  return rows;
}

/**
 * Postpones blocked events that are due to the next attempt of the event that blocks them.
 * For webhooks without any event that may be sent now.
 */
export async function postponeBlockedEvents(transaction: Queryable, webhookId: string): Promise<void> {
  await sql`
    UPDATE webhook_events AS event SET due_at = coalesce(${ofBlocking(sql`earlier.due_at`)}, due_at)
    WHERE webhook_id = ${webhookId} AND due_at <= now()`.execute(transaction);
}

/** Removes events that need no further attempt. */
export async function removeEvents(
  transaction: Queryable,
  webhookId: string,
  positions: number[],
): Promise<void> {
  await sql`
    DELETE FROM webhook_events
    WHERE webhook_id = ${webhookId} AND position = ANY (${positions}::bigint[])`.execute(transaction);
}

/** Counts a failed attempt of each of these events, and sets the time of the next one. */
export async function delayEvents(
  transaction: Queryable,
  webhookId: string,
  delays: { position: number; seconds: number }[],
): Promise<void> {
  await sql`
    UPDATE webhook_events SET attempts = attempts + 1, failing_since = coalesce(failing_since, now()),
      due_at = now() + make_interval(secs => delay.seconds)
    FROM unnest(${delays.map(({ position }) => position)}::bigint[],
        ${delays.map(({ seconds }) => seconds)}::float8[]) AS delay (position, seconds)
    WHERE webhook_id = ${webhookId} AND webhook_events.position = delay.position`.execute(transaction);
}

const ROWS_PER_STEP = 2_000;

/** Removes the events of deleted and disabled webhooks, in small steps that do not delay other work. */
export async function removeUndeliverableEvents(database: Database, signal: AbortSignal): Promise<void> {
  let removed = 0n;
  do {
    signal.throwIfAborted();
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM webhook_events WHERE ctid = ANY (ARRAY(
        SELECT event.ctid FROM (${webhooksWith(sql`webhook_events`)}) AS waiting
          CROSS JOIN LATERAL (
            SELECT ctid FROM webhook_events WHERE webhook_id = waiting.webhook_id LIMIT ${ROWS_PER_STEP}) AS event
        WHERE NOT EXISTS (
          SELECT FROM webhooks WHERE id = waiting.webhook_id AND disabled_at IS NULL) LIMIT ${ROWS_PER_STEP}))`.execute(
      database,
    );
    removed = numAffectedRows;
  } while (removed > 0n);
}

/**
 * SQL for the ids of the webhooks that have rows in this table. It visits the index once for each webhook (PostgreSQL
 * wiki, "Loose indexscan"): a million rows of one webhook cost as much as one.
 */
export const webhooksWith = (table: RawBuilder<unknown>) => sql`
  WITH RECURSIVE found AS (
    (SELECT webhook_id FROM ${table} ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT (SELECT webhook_id FROM ${table} WHERE webhook_id > found.webhook_id ORDER BY webhook_id LIMIT 1)
    FROM found WHERE found.webhook_id IS NOT NULL)
  SELECT webhook_id FROM found WHERE webhook_id IS NOT NULL`;
