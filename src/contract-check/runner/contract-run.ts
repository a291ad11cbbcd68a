/** Runs the contract against one target, and deletes what the run has created. */
import { type Created, deleteCreated, nothingCreated, type Remaining } from '../planning/created.ts';
import { createFixtures } from '../planning/fixtures.ts';
import { createRunContext } from '../planning/planned-request.ts';
import type { Target } from '../planning/target.ts';
import { BrokenContract } from '../requests/answer-contract.ts';
import { messageOf, type Outcome, type Run } from './transaction-run.ts';
import { isRunnable, nameOf, TRANSACTIONS, type Transaction } from './transactions.ts';

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
  remaining: Remaining[];
};

/** The failed check of an answer that breaks the contract before the first transaction. */
function toOutcome({ operationId, answer, message }: BrokenContract): Outcome | undefined {
  const transaction = TRANSACTIONS.find(
    (each) => each.operationId === operationId && each.status === String(answer.status),
  );
  return transaction && { transaction, problem: message, durationMs: 0, answer };
}

/**
 * The fixtures; undefined where the service does not create them, which stops the run. An answer that breaks the
 * contract becomes an outcome.
 */
async function tryFixtures(
  target: Target,
  created: Created,
  { stop, outcomes }: Pick<Run, 'stop' | 'outcomes'>,
) {
  try {
    return await createFixtures(target, created);
  } catch (thrown) {
    const broken = thrown instanceof BrokenContract ? toOutcome(thrown) : undefined;
    if (broken !== undefined) outcomes.push(broken);
    const [line] = messageOf(thrown).split('\n', 1);
    const reason = broken === undefined ? line : nameOf(broken.transaction);
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
  const outcomes: Outcome[] = [];
  const fixtures = await tryFixtures(target, created, { stop, outcomes });
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
