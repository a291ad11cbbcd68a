/** Creates many items at once, for tests of long lists. */

/** The number of concurrent requests. */
const CONCURRENCY = 16;

/** Calls `create` with the numbers from 0 to `count` - 1, several at a time. Returns the results in that order. */
export async function createInParallel<Created>(
  count: number,
  create: (index: number) => Promise<Created>,
): Promise<Created[]> {
  const created: Created[] = [];
  const indexes = Array(count).keys();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const index of indexes) created[index] = await create(index);
    }),
  );
  return created;
}
