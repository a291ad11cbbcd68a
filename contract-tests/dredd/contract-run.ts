/** Runs the contract against one target, and deletes what the run has created. */
import { type Created, deleteCreated, nothingCreated } from './created.ts';
import { createFixtures } from './fixtures.ts';
import { createRunContext } from './planned-request.ts';
import type { Target } from './target.ts';
import { messageOf, type Outcome, type Run } from './transaction-run.ts';
import { isRunnable, TRANSACTIONS, type Transaction } from './transactions.ts';

/** Runs the transactions of a run: by Dredd, or by requests of its own. */
export type RunTransactions = (run: Run) => Promise<void>;

export type ContractReport = {
  outcomes: Outcome[];
  /** The transactions that need an operator, which this target lacks. */
  left: Transaction[];
  /** Why the run was stopped, and the transactions that are therefore missing. */
  stopped: string | undefined;
  missing: Transaction[];
  /** What could not be deleted. */
  remaining: string[];
};

/** The fixtures; undefined where the service does not create them, which stops the run. */
async function tryFixtures(target: Target, created: Created, stop: AbortController) {
  try {
    return await createFixtures(target, created);
  } catch (thrown) {
    const [reason] = messageOf(thrown).split('\n', 1);
    stop.abort(`the knowledge bases and texts of the run could not be created (${reason})`);
    return undefined;
  }
}

/**
 * Runs the contract on new fixtures, until `stop` is aborted with a sentence.
 * @throws when the run is incomplete without having been stopped
 */
export async function runContract(
  target: Target,
  runTransactions: RunTransactions,
  stop = new AbortController(),
): Promise<ContractReport> {
  const wanted = TRANSACTIONS.filter((transaction) => isRunnable(target, transaction));
  const left = TRANSACTIONS.filter((transaction) => !isRunnable(target, transaction));
  const created = nothingCreated();
  const fixtures = await tryFixtures(target, created, stop);
  const outcomes: Outcome[] = [];
  if (fixtures !== undefined) {
    const context = createRunContext(target, fixtures, created);
    await runTransactions({ context, transactions: wanted, outcomes, stop }).catch(
      async (thrown: unknown) => {
        await deleteCreated(target, created);
        throw thrown;
      },
    );
  }
  const { aborted, reason } = stop.signal;
  const ran = new Set(outcomes.map(({ transaction }) => transaction));
  return {
    outcomes,
    left,
    stopped: aborted ? String(reason) : undefined,
    missing: wanted.filter((transaction) => !ran.has(transaction)),
    remaining: await deleteCreated(target, created),
  };
}
