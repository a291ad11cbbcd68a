import type { RawBuilder } from 'kysely';

/**
 * How an account pays for a search, as parts of the search's own statements: a statement of its own would cost another
 * round trip. `accountId` and `price` are SQL.
 */
export type Payment = {
  /** The end of the names of statements that the payment is a part of. */
  suffix: string;
  /** SQL for whether the account can pay the price now. */
  isCovered(accountId: RawBuilder<unknown>, price: RawBuilder<unknown>): RawBuilder<boolean>;
  /** The statement that takes the price. It returns a row if it took it, and takes no price of 0. */
  take(accountId: RawBuilder<unknown>, price: RawBuilder<unknown>): RawBuilder<unknown>;
  /** The error of a search that the account cannot pay. */
  refusal(): Error;
};
