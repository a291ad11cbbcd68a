/**
 * Keeps the answers to requests with an Idempotency-Key. A repeated request gets the kept answer and has no effect
 * (draft-ietf-httpapi-idempotency-key-header-07).
 */
import { type Selectable, sql, type Transaction } from 'kysely';
import { idempotencyKeyReused } from '../errors.ts';
import type { Database, Queryable } from './database.ts';
import type { Tables } from './tables.ts';

/** Far longer than any client retries by itself. */
const KEPT_HOURS = 24;

/** The identity of a repeated request; `hash`: SHA-256 of its content. */
export type KeyedRequest = { accountId: string; operation: string; key: string; hash: Buffer };

/** The one transaction of an operation: from its effect to the `data` of its answer, which is kept with it. */
export type Transact = <Data extends object>(
  effect: (transaction: Transaction<Tables>) => Promise<Data>,
) => Promise<Data>;

const isKept = sql<boolean>`created_at > now() - make_interval(hours => ${KEPT_HOURS})`;

const selectAnswer = (database: Queryable, { accountId, operation, key }: KeyedRequest) =>
  database
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'answer'])
    .where('account_id', '=', accountId)
    .where('operation', '=', operation)
    .where('idempotency_key', '=', key);

type KeptAnswer = Pick<Selectable<Tables['idempotency_keys']>, 'request_hash' | 'answer'>;

/** @throws IDEMPOTENCY_KEY_REUSED when the answer belongs to another request. */
function answerTo({ hash }: KeyedRequest, { request_hash, answer }: KeptAnswer): object {
  if (!hash.equals(request_hash)) throw idempotencyKeyReused();
  if (answer === null) throw new Error('an idempotency key was committed without its answer');
  return answer;
}

/**
 * The answer that this request got within the last 24 hours; undefined when there is none.
 * @throws IDEMPOTENCY_KEY_REUSED
 */
export async function findKeptAnswer(
  database: Queryable,
  request: KeyedRequest,
): Promise<object | undefined> {
  const kept = await selectAnswer(database, request).where(isKept).executeTakeFirst();
  return kept && answerTo(request, kept);
}

/**
 * Claims the key for this transaction; its commit makes the claim visible. Another claimant waits here until then, and
 * holds no lock that others need. Returns false when the key is taken. Then its row stays locked, so that garbage
 * collection cannot remove it.
 */
async function claimKey(
  transaction: Queryable,
  { accountId, operation, key, hash }: KeyedRequest,
): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO idempotency_keys AS kept (account_id, operation, idempotency_key, request_hash, created_at)
    VALUES (${accountId}, ${operation}, ${key}, ${hash}, now())
    ON CONFLICT (account_id, operation, idempotency_key) DO UPDATE
      SET request_hash = excluded.request_hash, answer = NULL, created_at = excluded.created_at
      WHERE kept.created_at <= excluded.created_at - make_interval(hours => ${KEPT_HOURS})
    RETURNING 1`.execute(transaction);
  return rows.length > 0;
}

async function keepAnswer(
  transaction: Queryable,
  { accountId, operation, key }: KeyedRequest,
  answer: object,
): Promise<void> {
  await transaction
    .updateTable('idempotency_keys')
    .set({ answer: JSON.stringify(answer) })
    .where('account_id', '=', accountId)
    .where('operation', '=', operation)
    .where('idempotency_key', '=', key)
    .execute();
}

/**
 * Runs `effect` in a transaction that also keeps its answer. If the request was answered before, returns that answer.
 * When `effect` throws, the rollback also frees the key.
 * @throws IDEMPOTENCY_KEY_REUSED
 */
export async function commitOnce<Answer extends object>(
  database: Database,
  request: KeyedRequest,
  effect: (transaction: Transaction<Tables>) => Promise<Answer>,
): Promise<Answer> {
  return await database.transaction().execute(async (transaction) => {
    if (!(await claimKey(transaction, request))) {
      const kept = await selectAnswer(transaction, request).executeTakeFirstOrThrow();
      return answerTo(request, kept) as Answer; // kept by the same operation
    }
    const answer = await effect(transaction);
    await keepAnswer(transaction, request, answer);
    return answer;
  });
}

/** Removes expired answers; returns their number. */
export async function removeExpiredAnswers(database: Queryable): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('idempotency_keys')
    .where(sql<boolean>`created_at <= now() - make_interval(hours => ${KEPT_HOURS})`)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
