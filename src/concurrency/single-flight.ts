/** Asks what may not answer, and waits only so long. */

/**
 * Gives a function that asks `ask`, for at most `patienceMs`. Who asks while a question is under way gets its answer:
 * those that come again and again must not fill the pool of a database that hangs.
 * @throws what `ask` throws, or that it took too long
 */
export function singleFlight<T>(ask: () => Promise<T>, timeoutMs: number): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return async () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    return await Promise.race([asking, late]).finally(() => clearTimeout(timer));
  };
}
