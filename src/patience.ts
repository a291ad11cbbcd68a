/** Asks what may not answer, and waits only so long. */

/**
 * Gives a function that asks `ask` and resolves with its answer; with undefined when that takes longer than
 * `patienceMs`, or fails. Who asks while a question is under way gets its answer: those that come again and again must
 * not fill the pool of a database that hangs.
 */
export function askPatiently<T>(ask: () => Promise<T>, patienceMs: number): () => Promise<T | undefined> {
  let asking: Promise<T | undefined> | undefined;
  return async () => {
    asking ??= ask()
      .catch(() => undefined)
      .finally(() => {
        asking = undefined;
      });
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), patienceMs);
    return await Promise.race([asking, late]).finally(() => clearTimeout(timer));
  };
}
