/** Look-ups that share a call: those of one turn of the event loop become one. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as endOfTurn } from 'node:timers/promises';

/** A shared call belongs to no single request: neither its bounds nor its trace. */
const outsideRequests = AsyncLocalStorage.snapshot();

type Batch<Row> = { ids: Set<string>; rows: Promise<ReadonlyMap<string, Row>> };

/**
 * Returns a function that looks up the row with an id in a table of `source`. It calls `find` once for all ids of one
 * turn of the event loop that have the same `scope`, so a busy server sends one statement for many requests. A call
 * begins after all look-ups that share it, so each of them sees what was committed before it.
 * @returns the row; undefined where `find` returns none with this id
 * @throws the error of `find`, for each look-up of that call
 */
export function shareLookUps<Source extends object, Row>(
  find: (source: Source, scope: string, ids: string[]) => Promise<ReadonlyMap<string, Row>>,
): (source: Source, scope: string, id: string) => Promise<Row | undefined> {
  const open = new WeakMap<Source, Map<string, Batch<Row>>>();
  const batchesOf = (source: Source) => {
    const batches = open.get(source) ?? new Map<string, Batch<Row>>();
    open.set(source, batches);
    return batches;
  };
  const begin = (source: Source, scope: string): Batch<Row> => {
    const ids = new Set<string>();
    const rows = outsideRequests(async () => {
      await endOfTurn();
      batchesOf(source).delete(scope);
      return await find(source, scope, [...ids]);
    });
    return { ids, rows };
  };
  return async (source, scope, id) => {
    const batches = batchesOf(source);
    const batch = batches.get(scope) ?? begin(source, scope);
    batches.set(scope, batch);
    batch.ids.add(id);
    return (await batch.rows).get(id);
  };
}
