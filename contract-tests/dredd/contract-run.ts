/** The whole contract against one target, and the proof that nothing was left out. */
import { type DreddReport, runDredd } from './dredd-run.ts';
import { findGaps } from './find-gaps.ts';
import { clearWork, startWork } from './provocation.ts';
import { layInStock } from './stock.ts';
import type { Target } from './target.ts';
import { isProvokable, TRANSACTIONS, type Transaction } from './transactions.ts';

/** `left`: what nobody can provoke at this target. `gaps`: what else was not run, or was not meant to be. */
export type ContractReport = DreddReport & { left: Transaction[]; gaps: string[] };

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
