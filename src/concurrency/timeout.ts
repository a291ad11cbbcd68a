/** Waits for work that may not end. */

/**
 * The result of `work`, or the result of `onTimeout` if `work` takes longer than `timeoutMs`. Then `work` goes on, but
 * its result or error is ignored. Once one of the two is there, no timer is left.
 * @throws the error of `work`, or the error of `onTimeout`, which may throw instead of returning a result
 */
export async function withTimeout<T, Late>(
  work: T | Promise<T>,
  timeoutMs: number,
  onTimeout: () => Late,
): Promise<T | Late> {
  const { promise: timedOut, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  return await Promise.race([work, timedOut.then(onTimeout)]).finally(() => clearTimeout(timer));
}
