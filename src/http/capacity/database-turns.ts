/**
 * Turns at the database for requests to signed addresses. They have no permits of the admission, since they carry no
 * key; without turns, many of them would take all connections.
 */
import { createFairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { type Client, REQUEST_WAIT_MAX_MS } from '../../concurrency/wait-queue.ts';

/** The most of these requests that query the database at the same time. */
const QUERIES_MAX = 2;

/** Runs `act` when it is the account's turn. @throws the reason why the wait ended: see `WaitQueue` */
export type InDatabaseTurn = <T>(
  request: { accountId: string; client: Client },
  act: () => Promise<T>,
) => Promise<T>;

/** Creates the turns. Accounts take them alternately. */
export function createDatabaseTurns(): InDatabaseTurn {
  const turns = createFairSemaphore(QUERIES_MAX);
  return async ({ accountId, client }, act) => {
    await turns.acquire(accountId, { client, waitMaxMs: REQUEST_WAIT_MAX_MS });
    return await act().finally(() => turns.release(accountId));
  };
}
