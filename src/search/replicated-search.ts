/** Searches on a read replica. Accounts pay on the primary. */
import { sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import type { ReadReplica } from '../database/read-replica.ts';
import { selectPosition } from '../database/replica-position.ts';
import type { StemMemory } from '../indexing/stems.ts';
import type { Payment } from './payment.ts';
import { createSearchIn, type Search } from './search.ts';

/**
 * The payment of a search on the replica, whose price is 0: a replica cannot write. Its statements have the usual names,
 * on other connections, and so the usual values.
 */
const paidElsewhere: Payment = {
  isCovered: (_accountId, price) => sql<boolean>`${price} = 0`,
  take: (accountId) => sql`SELECT ${accountId} WHERE false`,
  refusal: () => new Error('a search has a price that is paid elsewhere'),
};

const CHARGE_VALUES = ['accountId', 'price'] as const;

/** Creates the two statements of a search on the primary: before it on a replica, and after it. */
function createCharge(payment: Payment) {
  const open = prepare('search_opening', CHARGE_VALUES, ({ accountId, price }) =>
    selectPosition<{ isCovered: boolean }>(
      sql`${payment.isCovered(sql`${accountId}::uuid`, sql`${price}::bigint`)} AS "isCovered"`,
    ),
  );
  const take = prepare('search_payment', CHARGE_VALUES, ({ accountId, price }) =>
    payment.take(sql`${accountId}::uuid`, sql`${price}::bigint`),
  );
  return { open, take };
}

/**
 * Creates the search in `replica`. Searches that the replica cannot answer, or that the account cannot pay, run in
 * `primary`, and have the results and errors of `createSearch`.
 */
export function createReplicatedSearch(
  { primary, replica }: { primary: Queryable; replica: ReadReplica },
  memory: StemMemory,
  payment: Payment,
): Search {
  const searchPaying = createSearchIn(memory, payment);
  const searchOnly = createSearchIn(memory, paidElsewhere);
  const charge = createCharge(payment);
  return async (request) => {
    const findPosition = async () => {
      const [opening] = await charge.open(primary, request);
      return opening?.isCovered ? opening : undefined;
    };
    const answer = await replica.read(findPosition, (database) =>
      searchOnly(database, { ...request, price: 0 }),
    );
    if (answer === undefined) return await searchPaying(primary, request);
    const isDue = request.price > 0;
    if (isDue && (await charge.take(primary, request)).length === 0) throw payment.refusal();
    return answer.result;
  };
}
