/**
 * The vectors of queries, by a model. A query never waits longer than its time limit, whatever the server does; and
 * never fails for want of a vector: then its words answer.
 */
import { createHash } from 'node:crypto';
import { type BoundedCache, createBoundedCache } from '../../concurrency/bounded-cache.ts';
import { embedCut } from './embed-cut.ts';
import type { EmbeddingsServer } from './embeddings-server.ts';
import { createInTime, type Degraded } from './in-time.ts';

/**
 * `view`: tells the keys of an account that see a part of it from each other, and from those that see all, which have
 * none.
 */
export type Asker = { accountId: string; view?: string | undefined };

/** `vector`: as the model makes it. */
export type QueryVector = { vector: Float32Array } | Degraded;

export type QueryEmbeddings = {
  /** The vector of a query of this asker, within the time limit. It never throws. */
  embed(query: string, asker: Asker): Promise<QueryVector>;
};

/** How long after the time limit an answer is still taken: it serves the next equal query. */
const LATE_MS = 10_000;
/** Of memory for vectors of queries: some 2,500 of 1,536 numbers. */
const CACHE_BYTES = 16 * 1024 ** 2;
/** Of an entry beside its numbers. */
const ENTRY_BYTES = 250;

/**
 * An asker shares neither vectors nor calls with others: by a fast answer it would see what they have asked. Hashed, a
 * long query takes no more memory than a short one.
 */
const keyOf = (query: string, { accountId, view = '' }: Asker): string =>
  createHash('sha256')
    .update(JSON.stringify([accountId, view, query]))
    .digest('base64');

/** `server`: of one model, whose vectors are kept. `timeoutMs`: how long a query may wait. */
export function createQueryEmbeddings(
  server: EmbeddingsServer,
  { timeoutMs }: { timeoutMs: number },
): QueryEmbeddings {
  const inTime = createInTime('The embeddings server', { timeoutMs, lateMs: LATE_MS });
  /** The calls whose time limit is not over yet. */
  const running = new Map<string, Promise<QueryVector>>();
  /** It begins with the first vector, since how many it may hold depends on their length. */
  let cache: BoundedCache<Float32Array> | undefined;

  const keep = (key: string, vector: Float32Array) => {
    cache ??= createBoundedCache(Math.ceil(CACHE_BYTES / (vector.byteLength + ENTRY_BYTES)));
    cache.set(key, vector);
  };
  const ask = async (key: string, query: string, accountId: string): Promise<QueryVector> => {
    const result = await inTime.ask(accountId, async (signal) => {
      const { vector } = await embedCut(server, query, { kind: 'query', signal });
      keep(key, vector); // too late for this query, perhaps
      return vector;
    });
    return 'answer' in result ? { vector: result.answer } : result;
  };
  return {
    async embed(query, asker) {
      const key = keyOf(query, asker);
      const vector = cache?.get(key);
      if (vector !== undefined) return { vector };
      const refused = inTime.refusal();
      if (refused !== undefined) return refused;
      let call = running.get(key);
      if (call === undefined) {
        call = ask(key, query, asker.accountId).finally(() => running.delete(key));
        running.set(key, call);
      }
      return await call;
    },
  };
}
