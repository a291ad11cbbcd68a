/** Limits the requests of one API key in a minute, counted in this process. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimited } from './errors.ts';

const WINDOW_SECONDS = 60;

/**
 * Counts one request of `keyId` each time it is called.
 * @param requestsPerMinute 0: no limit.
 * @throws RATE_LIMITED with the seconds until the window's end.
 */
export function createRateLimit(requestsPerMinute: number): (keyId: string) => Promise<void> {
  if (requestsPerMinute === 0) return async () => {};
  const limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: WINDOW_SECONDS });
  return async (keyId) => {
    try {
      await limiter.consume(keyId);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw rateLimited(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
    }
  };
}
