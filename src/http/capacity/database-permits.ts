/**
 * Permits to use the database for requests to signed addresses. They need no permit of the admission, since they carry
 * no key; without these permits, many of them would take all connections.
 */
import { createFairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { type Client, REQUEST_WAIT_MAX_MS } from '../../concurrency/wait-queue.ts';

/** The most of these requests that query the database at the same time. */
const QUERIES_MAX = 2;

/** Runs `act` when the account has a permit. @throws the reason why the wait ended: see `WaitQueue` */
export type WithDatabasePermit = <T>(
  request: { accountId: string; client: Client },
  act: () => Promise<T>,
) => Promise<T>;

/** Creates the permits. Accounts take them alternately. */
export function createDatabasePermits(): WithDatabasePermit {
  const permits = createFairSemaphore(QUERIES_MAX);
  return async ({ accountId, client }, act) => {
    await permits.acquire(accountId, { client, waitMaxMs: REQUEST_WAIT_MAX_MS });
    return await act().finally(() => permits.release(accountId));
  };
}
