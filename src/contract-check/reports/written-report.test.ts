/** The results fit on one screen, and begin with the failures that explain most. */
import { expect, test } from 'vitest';
import type { ContractReport } from '../runner/contract-run.ts';
import { TRANSACTIONS } from '../runner/transactions.ts';
import { failuresOf, groupFailures } from './failure-groups.ts';
import { describeRun } from './written-report.ts';

/** A report in which these transactions have failed: name → problem. */
const failing = (problemOf: (operationId: string, index: number) => string | undefined): ContractReport => ({
  outcomes: TRANSACTIONS.map((transaction, index) => ({
    transaction,
    problem: problemOf(transaction.operationId, index),
    durationMs: 1,
  })),
  left: [],
  missing: [],
  stopped: undefined,
  remaining: [],
});

const groupsOf = ({ outcomes }: ContractReport) =>
  groupFailures(failuresOf(outcomes)).map(({ title, names }) => [names.length, title]);

test('failures with one cause are one group, also where operation, id and position differ', () => {
  const id = '0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f';
  const report = failing((operationId, index) => `${operationId} answered 500 for ${id}: /data/${index}/x`);
  expect(groupsOf(report)).toEqual([[TRANSACTIONS.length, 'answered 500 for …: /data/…/x']]);
  const refused = failing((_, index) => `answered 429 instead of ${400 + index} (Wait; then try again.)`);
  expect(groupsOf(refused)).toEqual([
    [TRANSACTIONS.length, 'answered 429 instead of another (Wait; then try again.)'],
  ]);
});

test('the largest group comes first: of a cause, or of an operation that fails in many ways', () => {
  const ofQuery = TRANSACTIONS.filter(({ operationId }) => operationId === 'query').length;
  const report = failing((operationId, index) => {
    if (operationId === 'query') return `a${'x'.repeat(index)}`;
    return ['getUsage', 'getBalance'].includes(operationId) && index % 4 === 0
      ? 'x against the contract: slow; and more'
      : undefined;
  });
  const [first, second] = groupsOf(report);
  expect(first).toEqual([ofQuery, 'query, such as: a']);
  expect(second?.[1]).toBe('x against the contract: slow');
});

test('when every check fails in its own way, the rest is counted, and all of it is one screen', () => {
  const report = {
    ...failing((operationId, index) => `${operationId} ${'y'.repeat(index)}\u001b[31m RATE_LIMITED`),
    remaining: ['w', 'x', 'y'].map((id) => ({ kind: 'knowledge base' as const, id })),
  };
  const text = describeRun(report, `http://${'long'.repeat(40)}`, ['The whole report: a', 'JUnit: b']);
  const lines = text.split('\n');
  const command = lines.filter((line) => line.startsWith('  npx knowledge-retrieval kb delete w --url http'));
  expect(command).toHaveLength(1);
  expect(text).toContain('  and 2 more, in the report\n');
  expect(lines.length).toBeLessThanOrEqual(22); // with the line that announces the run, and the end of the command, 24
  expect(lines.filter((line) => line.length > 80)).toEqual(command);
  expect(text).toMatch(/^and \d+ more$/m);
  expect(text).not.toContain('\u001b');
  expect(lines.at(-1)).toBe(
    `The contract is broken: ${TRANSACTIONS.length} of ${TRANSACTIONS.length} checks failed.`,
  );
});
