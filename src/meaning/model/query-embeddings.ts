/**
 * The vectors of queries, by a model. A query never waits longer than its time limit, whatever the server does; and never
 * fails for want of a vector: then its words answer.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { type BoundedCache, createBoundedCache } from '../../concurrency/bounded-cache.ts';
import { createFairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { withTimeout } from '../../concurrency/timeout.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { embedCut } from './embed-cut.ts';
import type { EmbeddingsServer } from './embeddings-server.ts';
import { BatchRefused, ModelFailure, ModelUnavailable, RateLimited } from './model-failures.ts';

/**
 * Why a query has no vector. `message`: a sentence for the operator. It names the address of the server, which is
 * nothing for those who search.
 */
export type Degraded = { degraded: 'timeout' | 'unavailable' | 'limited' | 'wrong'; message: string };
/** `vector`: as the model makes it. */
export type QueryVector = { vector: Float32Array } | Degraded;

export type QueryEmbeddings = {
  /** The vector of a query of this account, within the time limit. It never throws. */
  embed(query: string, accountId: string): Promise<QueryVector>;
};

/** Queries that one server asks for at a time. An account may have half of them while other accounts wait. */
const PARALLEL = 16;
/** How long after the time limit an answer is still taken: it serves the next equal query. */
const LATE_MS = 10_000;
/** Of memory for vectors of queries: some 2,500 of 1,536 numbers. */
const CACHE_BYTES = 16 * 1024 ** 2;
/** Of an entry beside its numbers. */
const ENTRY_BYTES = 250;

/** The server did not answer a query in time. */
class TooSlow extends ModelFailure {}

/** A call belongs to no single request: neither its bounds nor its trace. */
const outsideRequests = AsyncLocalStorage.snapshot();

/**
 * An account shares neither vectors nor calls with others: by a fast answer it would see what they have asked. Hashed,
 * a long query takes no more memory than a short one.
 */
const keyOf = (query: string, accountId: string): string =>
  createHash('sha256').update(`${accountId}\n${query}`).digest('base64');

function degradedBy(failure: ModelFailure): Degraded {
  const { message } = failure;
  if (failure instanceof TooSlow) return { degraded: 'timeout', message };
  if (failure instanceof RateLimited) return { degraded: 'limited', message };
  return { degraded: failure instanceof ModelUnavailable ? 'unavailable' : 'wrong', message };
}

/** A failure to answer as one of the model; all else is a fault of ours. */
function failureOf(error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  return new ModelUnavailable(`Asking the embeddings server failed: ${String(error)}.`);
}

const overloaded = (): Degraded => ({
  degraded: 'limited',
  message: 'More queries than the embeddings server can answer wait for it.',
});

/** `server`: of one model, whose vectors are kept. `timeoutMs`: how long a query may wait. */
export function createQueryEmbeddings(
  server: EmbeddingsServer,
  { timeoutMs }: { timeoutMs: number },
): QueryEmbeddings {
  const breaker = createCircuitBreaker();
  const permits = createFairSemaphore(PARALLEL);
  /** The calls whose time limit is not over yet. */
  const running = new Map<string, Promise<QueryVector>>();
  /** It begins with the first vector, since how many it may hold depends on their length. */
  let cache: BoundedCache<Float32Array> | undefined;

  const keep = (key: string, vector: Float32Array) => {
    cache ??= createBoundedCache(Math.ceil(CACHE_BYTES / (vector.byteLength + ENTRY_BYTES)));
    cache.set(key, vector);
  };
  const ask = async (key: string, query: string): Promise<Float32Array> => {
    const signal = AbortSignal.timeout(timeoutMs + LATE_MS);
    const { vector } = await embedCut(server, query, { kind: 'query', signal });
    keep(key, vector);
    return vector;
  };
  /** Asks within the time that is left. Afterwards the call may go on, for the cache. */
  const askInTime = async (key: string, query: string, leftMs: number): Promise<QueryVector> => {
    const call = breaker.begin();
    if (call instanceof ModelFailure) return degradedBy(call);
    try {
      const vector = await withTimeout(ask(key, query), leftMs, () => {
        throw new TooSlow(`The embeddings server did not answer within ${timeoutMs} ms.`);
      });
      call.succeeded();
      return { vector };
    } catch (error) {
      const failure = failureOf(error);
      // A query that is refused says nothing about the next one.
      if (failure instanceof BatchRefused) call.succeeded();
      else call.failed(failure);
      return degradedBy(failure);
    }
  };
  const begin = async (key: string, query: string, accountId: string): Promise<QueryVector> => {
    const startedAtMs = performance.now();
    try {
      await permits.acquire(accountId, { waitMaxMs: timeoutMs });
    } catch {
      return overloaded();
    }
    try {
      return await askInTime(key, query, Math.max(1, timeoutMs - (performance.now() - startedAtMs)));
    } finally {
      permits.release(accountId);
    }
  };
  return {
    async embed(query, accountId) {
      const key = keyOf(query, accountId);
      const vector = cache?.get(key);
      if (vector !== undefined) return { vector };
      const refused = breaker.refusal();
      if (refused !== undefined) return degradedBy(refused);
      let call = running.get(key);
      if (call === undefined) {
        call = outsideRequests(begin, key, query, accountId).finally(() => running.delete(key));
        running.set(key, call);
      }
      return await call;
    },
  };
}
