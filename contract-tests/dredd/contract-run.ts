/** The whole contract against one target, and the proof that nothing was left out. */
import { isDeepStrictEqual } from 'node:util';
import { type DreddReport, runDredd } from './dredd-run.ts';
import { clearWork, startWork } from './provocation.ts';
import { layInStock } from './stock.ts';
import type { Target } from './target.ts';
import { isProvokable, nameOf, TRANSACTIONS, type Transaction } from './transactions.ts';

/** `left`: what nobody can provoke at this target. `gaps`: what else was not run, or was not meant to be. */
export type ContractReport = DreddReport & { left: Transaction[]; gaps: string[] };

/** What Dredd ran beside what it was to run: every documented response, by the count of the spec and not of Dredd. */
export function findGaps({ stats, ran, failures }: DreddReport, wanted: Transaction[]): string[] {
  const names = { wanted: wanted.map(nameOf).toSorted(), ran: ran.map(nameOf).toSorted() };
  const { tests, passes, skipped } = stats;
  const gaps = [];
  if (!isDeepStrictEqual(names.wanted, names.ran)) {
    const missing = names.wanted.filter((name) => !names.ran.includes(name));
    gaps.push(`of ${names.wanted.length} transactions ${names.ran.length} ran; not: ${missing.join(', ')}`);
  }
  if (skipped > 0) gaps.push(`Dredd skipped ${skipped}`);
  if (tests !== wanted.length) gaps.push(`Dredd counts ${tests} transactions, the spec ${wanted.length}`);
  if (passes !== tests - failures.length)
    gaps.push(`Dredd counts ${passes} passing transactions, and the hooks ${failures.length} others`);
  return gaps;
}

/** Runs it on a stock of its own, which is removed in the end. */
export async function runContract(target: Target): Promise<ContractReport> {
  const stock = await layInStock(target);
  const work = startWork(target, stock);
  try {
    const wanted = TRANSACTIONS.filter((transaction) => isProvokable(target, transaction));
    const left = TRANSACTIONS.filter((transaction) => !isProvokable(target, transaction));
    const report = await runDredd(work, wanted);
    return { ...report, left, gaps: findGaps(report, wanted) };
  } finally {
    await clearWork(work);
    await stock.clear();
  }
}
