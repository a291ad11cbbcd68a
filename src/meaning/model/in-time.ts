/** Asks a server with a model while a query waits: within a time limit, and not where the server fails anyway. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createFairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { withTimeout } from '../../concurrency/timeout.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { BatchRefused, ModelFailure, ModelUnavailable, RateLimited } from './model-failures.ts';

/**
 * Why the model did not answer a query. `message`: a sentence for the operator. It names the address of the server,
 * which is nothing for those who search.
 */
export type Degraded = { degraded: 'timeout' | 'unavailable' | 'limited' | 'wrong'; message: string };

export type InTime = {
  /** Why nothing is asked now; undefined: the server may answer. */
  refusal(): Degraded | undefined;
  /**
   * The answer of `ask`, within the time limit. After that `ask` may go on for a while, until its signal. It never
   * throws.
   */
  ask<Answer>(
    accountId: string,
    ask: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<{ answer: Answer } | Degraded>;
};

/** Requests of queries to one server at a time. An account may have half of them while other accounts wait. */
const PARALLEL = 16;

/** The server did not answer in time. */
class TooSlow extends ModelFailure {}

/** A call belongs to no single request: neither its bounds nor its trace. */
const outsideRequests = AsyncLocalStorage.snapshot();

function degradedBy(failure: ModelFailure): Degraded {
  const { message } = failure;
  if (failure instanceof TooSlow) return { degraded: 'timeout', message };
  if (failure instanceof RateLimited) return { degraded: 'limited', message };
  return { degraded: failure instanceof ModelUnavailable ? 'unavailable' : 'wrong', message };
}

type Asked<Answer> = { answer: Answer } | Degraded;
type Ask<Answer> = (signal: AbortSignal) => Promise<Answer>;

/** Creates the function that asks within the milliseconds that are left, unless the server fails anyway. */
function createAskWithin(
  who: string,
  { timeoutMs, lateMs }: { timeoutMs: number; lateMs: number },
  breaker: ReturnType<typeof createCircuitBreaker>,
) {
  const tooSlow = () => new TooSlow(`${who} did not answer within ${timeoutMs} ms.`);
  const failureOf = (error: unknown): ModelFailure => {
    if (error instanceof ModelFailure) return error;
    if (error instanceof Error && error.name === 'TimeoutError') return tooSlow();
    return new ModelUnavailable(`${who} could not be asked: ${String(error)}.`);
  };
  return async <Answer>(leftMs: number, ask: Ask<Answer>): Promise<Asked<Answer>> => {
    const call = breaker.begin();
    if (call instanceof ModelFailure) return degradedBy(call);
    try {
      const answer = await withTimeout(ask(AbortSignal.timeout(leftMs + lateMs)), leftMs, () => {
        throw tooSlow();
      });
      call.succeeded();
      return { answer };
    } catch (error) {
      const failure = failureOf(error);
      // A query that is refused says nothing about the next one.
      if (failure instanceof BatchRefused) call.succeeded();
      else call.failed(failure);
      return degradedBy(failure);
    }
  };
}

/** `who`: the server as the subject of a sentence. `lateMs`: how long after the limit an answer is still taken. */
export function createInTime(
  who: string,
  { timeoutMs, lateMs }: { timeoutMs: number; lateMs: number },
): InTime {
  const breaker = createCircuitBreaker();
  const permits = createFairSemaphore(PARALLEL);
  const askWithin = createAskWithin(who, { timeoutMs, lateMs }, breaker);
  return {
    refusal() {
      const refused = breaker.refusal();
      return refused && degradedBy(refused);
    },
    ask: <Answer>(accountId: string, ask: Ask<Answer>) =>
      outsideRequests(async (): Promise<Asked<Answer>> => {
        const startedAtMs = performance.now();
        try {
          await permits.acquire(accountId, { waitMaxMs: timeoutMs });
        } catch {
          return { degraded: 'limited', message: `More queries than ${who} can answer wait for it.` };
        }
        try {
          const waitedMs = Math.floor(performance.now() - startedAtMs);
          return await askWithin(Math.max(1, timeoutMs - waitedMs), ask);
        } finally {
          permits.release(accountId);
        }
      }),
  };
}
