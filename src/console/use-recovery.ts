/** Tries again by itself what failed because the service was unreachable. */
import { useEffect, useRef } from 'preact/hooks';
import { KnowledgeRetrievalError, type KnowledgeRetrievalErrorCode } from '../client/index.ts';

/** Errors of a service that restarts, or of a connection that is lost for a while. */
const PASSING: ReadonlySet<KnowledgeRetrievalErrorCode> = new Set([
  'NETWORK_ERROR',
  'REQUEST_TIMED_OUT',
  'SERVICE_UNAVAILABLE',
  'UNEXPECTED_ANSWER',
]);

export const isPassing = (error: unknown): boolean =>
  error instanceof KnowledgeRetrievalError && PASSING.has(error.errorCode);

/** The first pause, and the longest: each is twice as long as the pause before. */
const [PAUSE_MS, PAUSE_MAX_MS] = [2_000, 30_000];

/** Calls `retry` after a pause for as long as the error is one that passes. A page in the background waits. */
export function useRecovery(error: unknown, retry: (() => void) | undefined): void {
  const pauseMs = useRef(PAUSE_MS);
  const latest = useRef(retry);
  latest.current = retry;
  useEffect(() => {
    if (!isPassing(error)) {
      if (error === undefined) pauseMs.current = PAUSE_MS;
      return;
    }
    const timer = setInterval(() => {
      if (document.hidden) return;
      clearInterval(timer);
      latest.current?.();
    }, pauseMs.current);
    pauseMs.current = Math.min(PAUSE_MAX_MS, 2 * pauseMs.current);
    return () => clearInterval(timer);
  }, [error]);
}
