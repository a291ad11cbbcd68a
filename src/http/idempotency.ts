/** Lets a request with an Idempotency-Key have its effect once, however often it is sent. */
import { createHash } from 'node:crypto';
import { createTurns } from '../concurrency/turns.ts';
import type { Patience, WaitBudget } from '../concurrency/waiting-line.ts';
import type { Database } from '../database/database.ts';
import {
  commitOnce,
  findKeptAnswer,
  type KeyedRequest,
  type Transact,
} from '../database/idempotency-keys.ts';

/** The operations that make something new each time; the header says nothing to the others, which repeat themselves well. */
const TAKING_KEYS: ReadonlySet<string> = new Set([
  'presignUploadUrl',
  'importTextContent',
  'createKnowledgeBase',
]);

/** The same for the same fields and values, in whatever order and way they were written. */
function hashOf(input: object): Buffer {
  const fields = Object.entries(input).sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest();
}

/** By what a request is to be known again; undefined: by nothing. `key` '': it has none. */
export function toKeyedRequest(
  operation: string,
  input: unknown,
  { accountId, key }: { accountId: string; key: string },
): KeyedRequest | undefined {
  if (key === '' || !TAKING_KEYS.has(operation)) return undefined;
  return { accountId, operation, key, hash: hashOf(input as object) }; // their bodies are objects, by the spec
}

/** As long as an import waits for its turn. */
const TURN_WAIT_MAX_MS = 50_000;

/** Whose request it is: as in its `Arrival`. */
type Waiter = {
  withoutPermit<T>(act: () => Promise<T>): Promise<T>;
  signal(): AbortSignal;
  budget?: WaitBudget | undefined;
};

/**
 * Answers requests by `perform`, which does its work in the transaction that it is given; one that has been answered
 * before is answered the same without it, and those of one key wait for one another. On this server they do so here,
 * before they take a connection and before a text is analysed, while others work; across servers, by the key's row.
 */
export function createIdempotency(database: Database) {
  const turns = createTurns();
  return async (
    request: KeyedRequest | undefined,
    { withoutPermit, signal, budget }: Waiter,
    perform: (once: Transact) => Promise<{ data: object }>,
  ): Promise<{ data: object }> => {
    if (request === undefined) return await perform((effect) => database.transaction().execute(effect));
    const name = `${request.accountId} ${request.operation} ${request.key}`;
    let isMine = false;
    const take = async (patience: Patience) => {
      await turns.take(name, patience);
      isMine = true;
    };
    try {
      if (!turns.isTaken(name)) await take({});
      else await withoutPermit(() => take({ signal: signal(), budget, waitMaxMs: TURN_WAIT_MAX_MS }));
      const data = await findKeptAnswer(database, request);
      if (data !== undefined) return { data };
      return await perform((effect) => commitOnce(database, request, effect));
    } finally {
      if (isMine) turns.leave(name);
    }
  };
}
