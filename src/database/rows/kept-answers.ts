/**
 * Keeps the answers to requests with an Idempotency-Key. A repeated request gets the kept answer and has no effect
 * (draft-ietf-httpapi-idempotency-key-header-07).
 */
import { type Selectable, sql, type Transaction } from 'kysely';
import { idempotencyKeyReused } from '../../terms/errors.ts';
import type { Database, Queryable } from '../connection/database.ts';
import type { Tables } from '../schema/tables.ts';

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
 * Claims keys of one account's operation for this transaction; its commit makes the claims visible. Another claimant
 * waits here until then, before it takes any other lock (see ../README.md). Returns the claimed keys. The row of a key
 * that is taken stays locked, so that garbage collection cannot remove it.
 */
async function claimKeys(
  transaction: Queryable,
  requests: [KeyedRequest, ...KeyedRequest[]],
): Promise<Set<string>> {
  const [{ accountId, operation }] = requests;
  const { rows } = await sql<{ key: string }>`
    INSERT INTO idempotency_keys AS kept (account_id, operation, idempotency_key, request_hash, created_at)
    SELECT ${accountId}::uuid, ${operation}, key, hash, now()
    FROM unnest(${requests.map(({ key }) => key)}::text[], ${requests.map(({ hash }) => hash)}::bytea[])
      AS request (key, hash)
    ORDER BY key COLLATE "C"
    ON CONFLICT (account_id, operation, idempotency_key) DO UPDATE
      SET request_hash = excluded.request_hash, answer = NULL, created_at = excluded.created_at
      WHERE kept.created_at <= excluded.created_at - make_interval(hours => ${KEPT_HOURS})
    RETURNING idempotency_key AS key`.execute(transaction);
  return new Set(rows.map(({ key }) => key));
}

/** Keeps the answers to requests whose keys were claimed together. */
async function keepAnswers(
  transaction: Queryable,
  requests: [KeyedRequest, ...KeyedRequest[]],
  answers: object[],
): Promise<void> {
  const [{ accountId, operation }] = requests;
  const json = answers.map((answer) => JSON.stringify(answer));
  await sql`
    UPDATE idempotency_keys AS kept SET answer = given.answer
    FROM unnest(${requests.map(({ key }) => key)}::text[], ${json}::json[]) AS given (key, answer)
    WHERE account_id = ${accountId} AND operation = ${operation} AND idempotency_key = given.key`.execute(
    transaction,
  );
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
    const claimed = await claimKeys(transaction, [request]);
    if (!claimed.has(request.key)) {
      const kept = await selectAnswer(transaction, request).executeTakeFirstOrThrow();
      return answerTo(request, kept) as Answer; // kept by the same operation
    }
    const answer = await effect(transaction);
    await keepAnswers(transaction, [request], [answer]);
    return answer;
  });
}

/** One of several requests was answered before. */
export class KeyTaken extends Error {}

/**
 * Runs `effect` for several requests of one account and operation, some with a key, in one transaction. Keeps the
 * answer to each request with a key. `effect` returns an answer for each request.
 * @throws KeyTaken when one of them was answered before; then nothing is committed
 */
export async function commitTogether<Answer extends object>(
  database: Database,
  requests: (KeyedRequest | undefined)[],
  effect: (transaction: Transaction<Tables>) => Promise<Answer[]>,
): Promise<Answer[]> {
  const [first, ...others] = requests.filter((request) => request !== undefined);
  return await database.transaction().execute(async (transaction) => {
    if (first === undefined) return await effect(transaction);
    const claimed = await claimKeys(transaction, [first, ...others]);
    if (claimed.size <= others.length) throw new KeyTaken();
    const answers = await effect(transaction);
    const kept = answers.filter((_, i) => requests[i] !== undefined);
    await keepAnswers(transaction, [first, ...others], kept);
    return answers;
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
