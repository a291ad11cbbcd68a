/** Searches on a read replica. */
import type { Queryable } from '../database/connection/database.ts';
import { findPosition, type Position } from '../database/replica/position.ts';
import type { ReadReplica } from '../database/replica/read-replica.ts';
import type { StemMemory } from '../indexing/stems.ts';
import { createSearchIn, finish, type MeaningSources, type RankedAnswer, type Search } from './search.ts';

/**
 * Creates the search in `replica`. Searches that the replica cannot answer run in `primary`, and have the results and
 * errors of `createSearch`.
 */
export function createReplicatedSearch(
  { primary, replica }: { primary: Queryable; replica: ReadReplica },
  memory: StemMemory,
  sources?: MeaningSources,
): Search {
  const search = createSearchIn(memory, sources);
  return async (request) => {
    let position: Position | undefined;
    const findStart = async () => {
      position = await findPosition(primary);
      // Before the transaction, which would hold its connection meanwhile; a search that is refused asks no model.
      if (position && request.embed) {
        await request.admit?.();
        await request.embed();
      }
      return position;
    };
    const answerIn = async (database: Queryable, ranked: RankedAnswer) =>
      await finish(request, ranked, (shown) => ranked.detail(database, shown));
    const answer = await replica.read(findStart, async (database) => {
      const ranked = await search(database, request);
      // A model is asked after the transaction, for the same reason.
      return request.reranking ? { ranked } : { answer: await answerIn(database, ranked) };
    });
    if (answer === undefined) return await answerIn(primary, await search(primary, request));
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
