/** Idempotency: a request with an Idempotency-Key takes effect once, even when it is sent several times. */
import { createHash } from 'node:crypto';
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts';
import { REQUEST_WAIT_MAX_MS, type RemainingWait, type WaitLimits } from '../../concurrency/wait-queue.ts';
import type { Database } from '../../database/connection/database.ts';
import {
  commitOnce,
  findKeptAnswer,
  type KeyedRequest,
  type Transact,
} from '../../database/rows/kept-answers.ts';
import type { Caller } from '../access/authenticate.ts';

/** The operations that create something. The others ignore the header: they can be repeated safely. */
const KEYED_OPERATIONS: ReadonlySet<string> = new Set([
  'presignUploadUrl',
  'importTextContent',
  'importUrl',
  'createKnowledgeBase',
  'createWebhook',
]);

/** Bodies with equal fields and values have equal hashes, in any order and notation. */
function hashOf(input: object): Buffer {
  const fields = Object.entries(input).sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest();
}

/**
 * The identity that a request shares with its repeats; undefined: repeats are new requests. `key` `''`: there is no
 * Idempotency-Key.
 */
export function toKeyedRequest(
  operation: string,
  input: unknown,
  { caller: { accountId, keyId, allowedKnowledgeBases }, key }: { caller: Caller; key: string },
): KeyedRequest | undefined {
  if (key === '' || !KEYED_OPERATIONS.has(operation)) return undefined;
  // Answers to other keys may be about knowledge bases that this one is not allowed. No Idempotency-Key has a space.
  const own = allowedKnowledgeBases === undefined ? key : `${keyId} ${key}`;
  return { accountId, operation, key: own, hash: hashOf(input as object) }; // their bodies are objects, by the spec
}

/** The part of a `RequestContext` that a wait needs. */
type WaitingRequest = {
  withoutPermit<T>(act: () => Promise<T>): Promise<T>;
  signal(): AbortSignal;
  remainingWait?: RemainingWait | undefined;
};

/**
 * Creates the function that answers requests by `perform`, which runs its statements in `transact`. A repeat gets the
 * stored answer, without `perform`. Requests with the same key run one after another. On one server they wait here,
 * without a permit or a connection, and before a text is analysed. Across servers they wait for the lock of the key's
 * row.
 */
export function createIdempotency(database: Database) {
  const mutex = createKeyedMutex();
  return async (
    request: KeyedRequest | undefined,
    { withoutPermit, signal, remainingWait }: WaitingRequest,
    perform: (transact: Transact) => Promise<{ data: object }>,
  ): Promise<{ data: object }> => {
    if (request === undefined) return await perform((effect) => database.transaction().execute(effect));
    const name = `${request.accountId} ${request.operation} ${request.key}`;
    let isLocked = false;
    const lock = async (limits: WaitLimits) => {
      await mutex.lock(name, limits);
      isLocked = true;
    };
    try {
      if (!mutex.isLocked(name)) await lock({});
      else
        await withoutPermit(() => lock({ signal: signal(), remainingWait, waitMaxMs: REQUEST_WAIT_MAX_MS }));
      const data = await findKeptAnswer(database, request);
      if (data !== undefined) return { data };
      return await perform((effect) => commitOnce(database, request, effect));
    } finally {
      if (isLocked) mutex.unlock(name);
    }
  };
}
