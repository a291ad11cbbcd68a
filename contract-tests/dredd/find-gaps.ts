/** Checks that a run of Dredd was complete. */
import { isDeepStrictEqual } from 'node:util';
import type { DreddReport } from './dredd-run.ts';
import { nameOf, type Transaction } from './transactions.ts';

/** Differences between the transactions that Dredd ran and the wanted ones. */
export function findGaps({ stats, ran, failures }: DreddReport, wanted: Transaction[]): string[] {
  const names = { wanted: wanted.map(nameOf).toSorted(), ran: ran.map(nameOf).toSorted() };
  const { tests, passes, skipped } = stats;
  const gaps = [];
  if (!isDeepStrictEqual(names.wanted, names.ran)) {
    const missing = names.wanted.filter((name) => !names.ran.includes(name));
    gaps.push(
      `${names.ran.length} of ${names.wanted.length} transactions ran; missing: ${missing.join(', ')}`,
    );
  }
  if (skipped > 0) gaps.push(`Dredd skipped ${skipped}`);
  if (tests !== wanted.length) gaps.push(`Dredd counts ${tests} transactions, the spec ${wanted.length}`);
  if (passes !== tests - failures.length)
    gaps.push(
      `Dredd counts ${passes} passing transactions of ${tests}, the hooks ${failures.length} failing ones`,
    );
  return gaps;
}
