/** Runs `npm run contract:mutations`: the contract run catches every seeded bug. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { nameOf, TRANSACTIONS } from '../../../src/contract-check/runner/transactions.ts';
import { root } from '../../harness/service/service-process.ts';
import { ALLOWED_CHANGES } from './allowed-changes.ts';
import { BUGS } from './bugs.ts';

const changes = [...BUGS, ...ALLOWED_CHANGES];

/** Fewer bugs would prove little. */
const MIN_BUGS = 200;

test('bug names are unique, their transactions are in the spec, and every operation and status has a bug', () => {
  expect(BUGS.length).toBeGreaterThanOrEqual(MIN_BUGS);
  expect(new Set(changes.map(({ name }) => name)).size).toBe(changes.length);
  const documented = TRANSACTIONS.map(nameOf);
  expect(documented).toEqual(expect.arrayContaining(changes.flatMap(({ at }) => at.map(nameOf))));
  const operations = new Set(TRANSACTIONS.map(({ operationId }) => operationId));
  expect(new Set(BUGS.flatMap(({ at }) => at.map(({ operationId }) => operationId)))).toEqual(operations);
  const statuses = new Set(TRANSACTIONS.map(({ status }) => status));
  expect(new Set(BUGS.flatMap(({ at }) => at.map(({ status }) => status)))).toEqual(statuses);
});

test('the run catches every seeded bug, and reports nothing without one', {
  timeout: 480_000,
}, async () => {
  const command = ['--no-warnings', 'scripts/contract-mutations.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root });
  expect(stdout).not.toContain('NOT CAUGHT');
  expect(stdout).toContain(`${BUGS.length} of ${BUGS.length} bugs caught`);
});
