/** Look-ups that share a call: those that come before it begins become one. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { withTimeout } from './timeout.ts';

/** A shared call belongs to no single request: neither its bounds nor its trace. */
const outsideRequests = AsyncLocalStorage.snapshot();

/** The next call does not wait longer than this for a slow one, which may be on a dead connection. */
const SLOW_CALL_MS = 200;

/** `isOpen`: its call has not begun, so further look-ups may join. */
type Batch<Row> = { ids: Set<string>; isOpen: boolean; rows: Promise<ReadonlyMap<string, Row>> };

/** Resolves at the end of the event loop iteration in which the call of `batch` ends. */
async function untilEnded(batch: Batch<unknown> | undefined): Promise<void> {
  if (batch !== undefined) {
    const ended = batch.rows.then(
      () => {},
      () => {},
    );
    await withTimeout(ended, SLOW_CALL_MS, () => {});
  }
  await nextIteration();
}

/**
 * Returns a function that looks up the row with an id in a table of `source`. Look-ups with the same `scope` share
 * calls of `find`, one call at a time: the next call begins one iteration of the event loop after the last has ended.
 * So a busy server sends one statement for many requests, and they take one connection. A call begins after all
 * look-ups that share it, so each of them sees what was committed before it.
 * @returns the row; undefined where `find` returns none with this id
 * @throws the error of `find`, for each look-up of that call
 */
export function shareLookUps<Source extends object, Row>(
  find: (source: Source, scope: string, ids: string[]) => Promise<ReadonlyMap<string, Row>>,
): (source: Source, scope: string, id: string) => Promise<Row | undefined> {
  /** The last batch of each scope, until its call has ended. */
  const lastBatches = new WeakMap<Source, Map<string, Batch<Row>>>();
  const batchesOf = (source: Source) => {
    const batches = lastBatches.get(source) ?? new Map<string, Batch<Row>>();
    lastBatches.set(source, batches);
    return batches;
  };
  const begin = (source: Source, scope: string, previous: Batch<Row> | undefined): Batch<Row> => {
    const batches = batchesOf(source);
    const ids = new Set<string>();
    const rows = outsideRequests(async () => {
      await untilEnded(previous);
      batch.isOpen = false;
      try {
        return await find(source, scope, [...ids]);
      } finally {
        if (batches.get(scope) === batch) batches.delete(scope);
      }
    });
    const batch: Batch<Row> = { ids, isOpen: true, rows };
    batches.set(scope, batch);
    return batch;
  };
  return async (source, scope, id) => {
    const last = batchesOf(source).get(scope);
    const batch = last?.isOpen ? last : begin(source, scope, last);
    batch.ids.add(id);
    return (await batch.rows).get(id);
  };
}
