/** Lets a request with an Idempotency-Key have its effect once, however often it is sent. */
import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Database } from './storage/database.ts';
import { commitOnce, findFirstAnswer, type KeyedRequest } from './storage/first-answers.ts';
import type { Tables } from './storage/tables.ts';

/** The one transaction of an operation, from its effect to the `data` of its answer, which is kept with it. */
export type Once = <Data extends object>(
  effect: (transaction: Transaction<Tables>) => Promise<Data>,
) => Promise<Data>;

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

/** Runs work of the same name one after the other, and that of different names side by side. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const own = (last.get(name) ?? Promise.resolve()).then(work, work);
    last.set(name, own);
    try {
      return await own;
    } finally {
      if (last.get(name) === own) last.delete(name);
    }
  };
}

/**
 * Answers requests by `perform`, which does its work in the transaction that it is given; one that has been answered
 * before is answered the same without it, and those of one key wait for one another. On this server they do so here,
 * before they take a connection and before a text is analysed; across servers, by the key's row.
 */
export function createAnswerOnce(database: Database) {
  const inTurn = createTurns();
  return async (
    request: KeyedRequest | undefined,
    perform: (once: Once) => Promise<{ data: object }>,
  ): Promise<{ data: object }> => {
    if (request === undefined) return await perform((effect) => database.transaction().execute(effect));
    const { accountId, operation, key } = request;
    return await inTurn(`${accountId} ${operation} ${key}`, async () => {
      const data = await findFirstAnswer(database, request);
      if (data !== undefined) return { data };
      return await perform((effect) => commitOnce(database, request, effect));
    });
  };
}
