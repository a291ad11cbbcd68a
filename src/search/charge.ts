/** The charge of a search whose own statements cannot take the price: on a read replica, or on distributed tables. */
import { sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import type { Payment } from './payment.ts';

/** The payment of a search that is charged apart, with a price of 0. */
export const paidElsewhere: Payment = {
  suffix: '_unpaid',
  isCovered: (_accountId, price) => sql<boolean>`${price} = 0`,
  take: (accountId) => sql`SELECT ${accountId} WHERE false`,
  refusal: () => new Error('a search has a price that is paid elsewhere'),
};

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
  return {
    /** @throws the payment's refusal when the account cannot pay the price now */
    async requireCovered(database: Queryable, charged: Charged): Promise<void> {
      const [row] = await check(database, charged);
      if (!row?.isCovered) throw payment.refusal();
    },
    /** @throws the payment's refusal when other requests have used up the balance meanwhile; it then takes nothing */
    async take(database: Queryable, charged: Charged): Promise<void> {
      if (charged.price > 0 && (await take(database, charged)).length === 0) throw payment.refusal();
    },
  };
}
