/** Runs the whole contract against one target, and checks that no transaction was left out. */
import { type DreddReport, runDredd } from './dredd-run.ts';
import { findGaps } from './find-gaps.ts';
import { createFixtures } from './fixtures.ts';
import { createRunContext, deleteCreated } from './planned-request.ts';
import type { Target } from './target.ts';
import { isRunnable, TRANSACTIONS, type Transaction } from './transactions.ts';

/** `left`: the transactions that cannot run at this target. `gaps`: differences between the run and its plan. */
export type ContractReport = DreddReport & { left: Transaction[]; gaps: string[] };

/** Runs the contract on new fixtures, and deletes them at the end. */
export async function runContract(target: Target): Promise<ContractReport> {
  const fixtures = await createFixtures(target);
  const context = createRunContext(target, fixtures);
  try {
    const wanted = TRANSACTIONS.filter((transaction) => isRunnable(target, transaction));
    const left = TRANSACTIONS.filter((transaction) => !isRunnable(target, transaction));
    const report = await runDredd(context, wanted);
    return { ...report, left, gaps: findGaps(report, wanted) };
  } finally {
    await deleteCreated(context);
    await fixtures.clear();
  }
}
