/** Groups the failures of a run, so that the largest groups explain most of them. */
import type { Outcome } from '../runner/transaction-run.ts';
import { nameOf, type Transaction } from '../runner/transactions.ts';

export type Failure = { transaction: Transaction; problem: string };

/** Failures with one cause, or different failures of one operation. */
export type FailureGroup = { title: string; names: string[] };

export const failuresOf = (outcomes: Outcome[]): Failure[] =>
  outcomes.flatMap(({ transaction, problem }) => (problem === undefined ? [] : [{ transaction, problem }]));

/** The first violation of a problem. An answer against the contract has several in a line. */
const firstOf = (problem: string): string =>
  problem.split(problem.includes(' against the contract: ') ? /\n|; / : '\n', 1)[0] ?? '';

/** `the request could not be prepared: query answered …` → `query answered …` */
const withoutOccasion = (problem: string): string =>
  firstOf(problem).replace(/^the request could not be prepared: /, '');

/** The same for failures that differ only by operation, id, position or expected status. */
const causeOf = ({ problem }: Failure): string =>
  withoutOccasion(problem)
    .replace(/^\w+ (?=answered )/, '')
    .replace(/(?<= instead of )\d+/, 'another')
    .replaceAll(/[\da-f-]{36}|(?<=\/)\d+/g, '…');

type Members = [Failure, ...Failure[]];

/** The failures' own words if they are the same, otherwise what they have in common. */
function titleOfCause(members: Members): string {
  const [first] = members;
  const own = withoutOccasion(first.problem);
  return members.every(({ problem }) => withoutOccasion(problem) === own) ? own : causeOf(first);
}

type Grouping = { keyOf: (failure: Failure) => string; titleOf: (members: Members) => string };

/** In the order of preference between groups of one size. */
const GROUPINGS: Grouping[] = [
  { keyOf: causeOf, titleOf: titleOfCause },
  {
    keyOf: ({ transaction }) => transaction.operationId,
    titleOf: ([{ transaction, problem }]) => `${transaction.operationId}, such as: ${firstOf(problem)}`,
  },
];

function findLargest(failures: Failure[]): { titleOf: Grouping['titleOf']; members: Members } | undefined {
  const groups = GROUPINGS.flatMap(({ keyOf, titleOf }) =>
    // No group is empty.
    [...Map.groupBy(failures, keyOf).values()].map((members) => ({ titleOf, members: members as Members })),
  );
  return groups.toSorted((a, b) => b.members.length - a.members.length)[0];
}

/** Groups that hold each failure once: the largest first, then the largest of the rest. */
export function groupFailures(failures: Failure[]): FailureGroup[] {
  const largest = findLargest(failures);
  if (largest === undefined) return [];
  const { titleOf, members } = largest;
  const rest = failures.filter((failure) => !members.includes(failure));
  const names = members.map(({ transaction }) => nameOf(transaction));
  return [{ title: titleOf(members), names }, ...groupFailures(rest)];
}
