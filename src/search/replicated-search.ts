/** Searches on a read replica. Accounts pay on the primary. */
import { sql } from 'kysely';
import type { Queryable } from '../database/connection/database.ts';
import { prepare } from '../database/connection/prepared.ts';
import { type Position, selectPosition } from '../database/replica/position.ts';
import type { ReadReplica } from '../database/replica/read-replica.ts';
import type { StemMemory } from '../indexing/stems.ts';
import { createCharge, paidElsewhere } from './payment/charge.ts';
import type { Payment } from './payment/payment.ts';
import { createSearchIn, finish, type MeaningSources, type RankedAnswer, type Search } from './search.ts';

/** Creates the statement before a search on a replica: what must be visible there, and whether the account can pay. */
const createOpening = (payment: Payment) =>
  prepare('search_opening', ['accountId', 'price'], ({ accountId, price }) =>
    selectPosition<{ isCovered: boolean }>(
      sql`${payment.isCovered(sql`${accountId}::uuid`, sql`${price}::bigint`)} AS "isCovered"`,
    ),
  );

/**
 * Creates the search in `replica`. Searches that the replica cannot answer, or that the account cannot pay, run in
 * `primary`, and have the results and errors of `createSearch`.
 */
export function createReplicatedSearch(
  { primary, replica }: { primary: Queryable; replica: ReadReplica },
  memory: StemMemory,
  payment: Payment,
  sources?: MeaningSources,
): Search {
  const searchPaying = createSearchIn(memory, payment, sources);
  const searchOnly = createSearchIn(memory, paidElsewhere(payment), sources);
  const open = createOpening(payment);
  const charge = createCharge(payment);
  return async (request) => {
    let position: Position | undefined;
    const findPosition = async () => {
      const [opening] = await open(primary, request);
      if (!opening?.isCovered) return undefined;
      await request.embed?.(); // before the transaction, which would hold its connection meanwhile
      position = opening;
      return opening;
    };
    const answerIn = async (database: Queryable, ranked: RankedAnswer) =>
      await finish(request, ranked, (shown) => ranked.detail(database, shown));
    const answer = await replica.read(findPosition, async (database) => {
      const ranked = await searchOnly(database, { ...request, price: 0 });
      // A model is asked after the transaction, for the same reason.
      return request.reranking ? { ranked } : { answer: await answerIn(database, ranked) };
    });
    if (answer === undefined) return await answerIn(primary, await searchPaying(primary, request));
    await charge.take(primary, request);
    const { result } = answer;
    if ('answer' in result) return result.answer;
    return await finish(request, result.ranked, async (shown) => {
      if (request.details === undefined) return shown;
      const detailed = await replica.read(
        async () => position,
        (database) => result.ranked.detail(database, shown),
      );
      return detailed?.result ?? (await result.ranked.detail(primary, shown));
    });
  };
}
