/** What holds of every list, and of everything that was deleted. */
import assert from 'node:assert/strict';
import type { OperationId } from '../harness/contract-check.ts';
import type { Answer } from '../harness/exchange.ts';

/** Created items come newest first, each once. */
export function checkNewestFirst(items: { id: string; createdAt: string }[]): void {
  const times = items.map(({ createdAt }) => createdAt);
  assert.deepEqual(times, times.toSorted().toReversed(), 'the newest first');
  assert.equal(new Set(items.map(({ id }) => id)).size, items.length, 'each once');
}

/** An operation on what is gone; that its 404 is the right one has been held against the spec. */
export function checkGone(operationId: OperationId, { status }: Answer): void {
  assert.equal(status, 404, `${operationId} of what was deleted is a 404`);
}
