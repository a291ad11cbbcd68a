/** The charge of a search whose own statements cannot take the price: on a read replica, or on distributed tables. */
import { sql } from 'kysely';
import { createBoundedCache } from '../../concurrency/bounded-cache.ts';
import type { Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import type { Payment } from './payment.ts';

/** The part of `payment` in the statements of a search that is charged apart, with a price of 0: none. */
export const paidElsewhere = ({ refusal }: Payment): Payment => ({
  suffix: '_unpaid',
  isCovered: (_accountId, price) => sql<boolean>`${price} = 0`,
  take: (accountId) => sql`SELECT ${accountId} WHERE false`,
  refusal,
});

/** Accounts that are remembered because they have paid. */
const PAYERS_MAX = 10_000;

const CHARGE_VALUES = ['accountId', 'price'] as const;

type Charged = { accountId: string; price: number };

/** Creates the statements of a charge: the check before the search, and the payment after it. */
export function createCharge(payment: Payment) {
  const check = prepare(
    'search_check',
    CHARGE_VALUES,
    ({ accountId, price }) =>
      sql<{ isCovered: boolean }>`
        SELECT ${payment.isCovered(sql`${accountId}::uuid`, sql`${price}::bigint`)} AS "isCovered"`,
  );
  const take = prepare('search_payment', CHARGE_VALUES, ({ accountId, price }) =>
    payment.take(sql`${accountId}::uuid`, sql`${price}::bigint`),
  );
  const payers = createBoundedCache<true>(PAYERS_MAX);
  return {
    /**
     * Whether the account can pay the price now. One that could pay for its last search is not asked again: if it no
     * longer can, `take` refuses this one.
     */
    async isCovered(database: Queryable, charged: Charged): Promise<boolean> {
      if (payers.get(charged.accountId)) return true;
      const [row] = await check(database, charged);
      return row?.isCovered === true;
    },
    /** @throws the payment's refusal when other requests have used up the balance meanwhile; it then takes nothing */
    async take(database: Queryable, charged: Charged): Promise<void> {
      const { accountId, price } = charged;
      if (price === 0) return;
      const isTaken = (await take(database, charged)).length > 0;
      if (isTaken) payers.set(accountId, true);
      else {
        payers.delete(accountId);
        throw payment.refusal();
      }
    },
  };
}
