/** Checks for all lists and all deletions. */
import assert from 'node:assert/strict';
import type { Answer } from '../requests/exchange.ts';
import type { OperationId } from '../spec/routes.ts';

/** Checks that the newest items come first, and each item once. */
export function checkNewestFirst(items: { id: string; createdAt: string }[]): void {
  const times = items.map(({ createdAt }) => createdAt);
  assert.deepEqual(times, times.toSorted().toReversed(), 'the newest first');
  assert.equal(new Set(items.map(({ id }) => id)).size, items.length, 'each once');
}

/** Checks the 404 of an operation on a deleted item. The caller has checked its error code against the spec. */
export function checkGone(operationId: OperationId, { status }: Answer): void {
  assert.equal(status, 404, `${operationId} of a deleted item is a 404`);
}
