/** Checks that a run of Dredd was complete. */
import { isDeepStrictEqual } from 'node:util';
import type { DreddStats } from 'dredd';
import type { Run } from '../../src/contract-check/runner/transaction-run.ts';
import { nameOf } from '../../src/contract-check/runner/transactions.ts';

/** Differences between the transactions that Dredd ran and the wanted ones. */
export function findGaps(
  { tests, passes, skipped }: DreddStats,
  { transactions, outcomes }: Pick<Run, 'transactions' | 'outcomes'>,
): string[] {
  const wanted = transactions.map(nameOf).toSorted();
  const ran = outcomes.map(({ transaction }) => nameOf(transaction)).toSorted();
  const failed = outcomes.filter(({ problem }) => problem !== undefined).length;
  const gaps = [];
  if (!isDeepStrictEqual(wanted, ran)) {
    const missing = wanted.filter((name) => !ran.includes(name));
    gaps.push(`${ran.length} of ${wanted.length} transactions ran; missing: ${missing.join(', ')}`);
  }
  if (skipped > 0) gaps.push(`Dredd skipped ${skipped}`);
  if (tests !== wanted.length) gaps.push(`Dredd counts ${tests} transactions, the spec ${wanted.length}`);
  if (passes !== tests - failed)
    gaps.push(`Dredd counts ${passes} passing transactions of ${tests}, the hooks ${failed} failing ones`);
  return gaps;
}
