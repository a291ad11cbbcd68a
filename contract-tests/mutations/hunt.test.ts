/** The contract run catches every bug that is seeded, as the command shows it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { nameOf, TRANSACTIONS } from '../dredd/transactions.ts';
import { root } from '../harness/service-process.ts';
import { ALLOWED_CHANGES } from './allowed-changes.ts';
import { BUGS } from './bugs.ts';

const seeded = [...BUGS, ...ALLOWED_CHANGES];

/** Fewer would say little of a spec of fourteen operations. */
const LEAST_BUGS = 40;

test('bugs have names of their own, and meet transactions of the spec; every operation has some', () => {
  expect(BUGS.length).toBeGreaterThanOrEqual(LEAST_BUGS);
  expect(new Set(seeded.map(({ name }) => name)).size).toBe(seeded.length);
  const documented = TRANSACTIONS.map(nameOf);
  expect(documented).toEqual(expect.arrayContaining(seeded.flatMap(({ at }) => at.map(nameOf))));
  const operations = new Set(TRANSACTIONS.map(({ operationId }) => operationId));
  expect(new Set(BUGS.flatMap(({ at }) => at.map(({ operationId }) => operationId)))).toEqual(operations);
  const statuses = new Set(TRANSACTIONS.map(({ status }) => status));
  expect(new Set(BUGS.flatMap(({ at }) => at.map(({ status }) => status)))).toEqual(statuses);
});

test('every seeded bug is caught, and nothing is complained of without one', {
  timeout: 240_000,
}, async () => {
  const command = ['--no-warnings', 'scripts/contract-mutations.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root });
  expect(stdout).not.toContain('NOT CAUGHT');
  expect(stdout).toContain(`${BUGS.length} of ${BUGS.length} bugs caught`);
});
