/** Creates many items at once, for tests of long lists. */
import { setTimeout as delay } from 'node:timers/promises';

/** The number of concurrent requests. */
const CONCURRENCY = 16;
/** A busy service asks for this rest (Retry-After). */
const REST_MS = 1_000;
/** Refusals of one item in a row, after which the service is no longer just busy. */
const REFUSALS_MAX = 30;

const isBusy = (error: unknown) =>
  (error as { errorCode?: unknown } | null)?.errorCode === 'SERVICE_UNAVAILABLE';

/** Calls `create` again while the service is too busy, as the clients do: other tests use it, too. */
async function createPatiently<Created>(create: () => Promise<Created>): Promise<Created> {
  for (let refusals = 1; ; refusals += 1) {
    try {
      return await create();
    } catch (error) {
      if (!isBusy(error) || refusals === REFUSALS_MAX) throw error;
      await delay(REST_MS);
    }
  }
}

/** Calls `create` with the numbers from 0 to `count` - 1, several at a time. Returns the results in that order. */
export async function createInParallel<Created>(
  count: number,
  create: (index: number) => Promise<Created>,
): Promise<Created[]> {
  const created: Created[] = [];
  const indexes = Array(count).keys();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const index of indexes) created[index] = await createPatiently(() => create(index));
    }),
  );
  return created;
}
