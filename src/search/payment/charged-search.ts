/** Searches for credits: an account pays for each answer, once. No other file of the search knows of that. */
import { createBoundedCache } from '../../concurrency/bounded-cache.ts';
import { withStatementsAlong } from '../../concurrency/statements-along.ts';
import { withStatementBound } from '../../database/connection/bounded-statements.ts';
import type { Queryable } from '../../database/connection/database.ts';
import { changeCredits } from '../../database/rows/accounts.ts';
import { insufficientCredits } from '../../terms/errors.ts';
import type { Search, SearchAnswer, SearchRequest } from '../search.ts';

/** `price`: in credits; 0 costs nothing. */
export type PricedRequest = SearchRequest & { price: number };

export type ChargedSearch = (request: PricedRequest) => Promise<SearchAnswer>;

/** Accounts that are remembered because they have paid. */
const PAYERS_MAX = 10_000;
/** Time to give a price back: other queries of the account may hold its balance for a moment. */
const GIVE_BACK_MS = 5_000;

/**
 * Creates the search that is charged in `database`. A search that fails costs nothing: what it has taken is given back.
 *
 * The price is taken after the next statement of the search, in its round trip and its transaction. Mostly that is the
 * ranking: if it fails, it takes none. Where the ranking runs on another server, the price is taken at the same time.
 * Only an account that could not pay for its last search, or has made none, is charged before the ranking: it may be
 * refused, and should not cost a ranking each time.
 * @throws INSUFFICIENT_CREDITS; then nothing is taken
 */
export function createChargedSearch(database: Queryable, search: Search): ChargedSearch {
  const payers = createBoundedCache<true>(PAYERS_MAX);
  const take = async (accountId: string, price: number, how: { isAlone: boolean }): Promise<void> => {
    if (!(await changeCredits(database, { accountId, change: -price }, how))) {
      payers.delete(accountId);
      throw insufficientCredits();
    }
    payers.set(accountId, true);
  };
  // Outside of the bounds of the request, which may have just ended. What cannot be given back must not hide the error.
  const giveBack = (accountId: string, price: number): Promise<unknown> =>
    withStatementBound(GIVE_BACK_MS, () =>
      changeCredits(database, { accountId, change: price }, { isAlone: true }),
    ).catch(() => {});
  return async ({ price, ...request }) => {
    if (price === 0) return await search(request);
    const { accountId } = request;
    let taking: Promise<void> | undefined;
    const admit = async (searched?: Queryable) => {
      const isPayer = payers.get(accountId) ?? false;
      taking ??= take(accountId, price, { isAlone: !isPayer || searched !== database });
      taking.catch(() => {}); // it is waited for below
      if (!isPayer) await taking;
    };
    const searching = withStatementsAlong(() => search({ ...request, admit }));
    const answer = await searching.catch(async (error) => {
      const isTaken = await taking?.then(
        () => true,
        () => false,
      );
      if (isTaken) await giveBack(accountId, price);
      throw error;
    });
    await taking;
    return answer;
  };
}
