/** Runs what the success of an operation promises: the requests and checks of `check` and of Dredd. */
import { expect, test } from 'vitest';
import { nothingCreated } from '../../src/contract-check/planning/created.ts';
import { createFixtures } from '../../src/contract-check/planning/fixtures.ts';
import { createRunContext } from '../../src/contract-check/planning/planned-request.ts';
import type { Target } from '../../src/contract-check/planning/target.ts';
import { runDirectly } from '../../src/contract-check/runner/direct-run.ts';
import { createRun } from '../../src/contract-check/runner/transaction-run.ts';
import type { OperationId } from '../../src/contract-check/spec/routes.ts';
import { openAccount } from './service/opened-account.ts';

/** Asserts that the operation keeps its promises. Nothing else may use the account meanwhile. */
export async function expectPromises(operationId: OperationId, target: Target): Promise<void> {
  const created = nothingCreated();
  const fixtures = await createFixtures(target, created);
  const transaction = { operationId, status: '200' };
  const run = createRun(createRunContext(target, fixtures, created), [transaction]);
  await runDirectly(run).finally(fixtures.clear);
  expect(run.outcomes.map(({ problem }) => problem ?? 'kept')).toEqual(['kept']);
}

/** A test that the operation keeps its promises at the tests' service. */
export function testPromises(operationId: OperationId): void {
  test('200: keeps its promises', async () => {
    await expectPromises(operationId, await openAccount());
  });
}
