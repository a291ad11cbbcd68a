/** Runs transactions without Dredd, which an installed package does not have. Each answer passes the same checks. */
import { exchange } from '../requests/exchange.ts';
import { endTransaction, type Run, startTransaction } from './transaction-run.ts';

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** Runs the transactions in their order, until the run is stopped. */
export async function runDirectly(run: Run): Promise<void> {
  for (const transaction of run.transactions) {
    const started = await startTransaction(run, transaction);
    if (started === undefined) return;
    const { planned } = started;
    const answer =
      planned === undefined
        ? new Error(started.problem)
        : await exchange(planned.address ?? run.context.target.address, planned.sent).catch(toError);
    await endTransaction(run, started, answer);
  }
}
