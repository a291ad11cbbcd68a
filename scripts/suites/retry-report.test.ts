/** Repeated tests are printed, and many of them fail a run. */

import { expect, test, vi } from 'vitest';
import type { TestModule } from 'vitest/node';
import { createRetryReport } from './retry-report.ts';

/** A module whose tests were repeated this often, as vitest describes it. */
function repeated(...counts: number[]): TestModule {
  const tests = counts.map((retryCount, i) => ({
    module: { relativeModuleId: 'slow/x.test.ts' },
    fullName: `test ${i}`,
    diagnostic: () => ({ retryCount }),
    result: () => ({ state: 'passed', errors: [{ message: 'expected 1 to be 2' }] }),
  }));
  return { children: { allTests: () => tests } } as unknown as TestModule; // what the report reads of one
}

async function report(...counts: number[]) {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const fail = vi.fn<() => void>();
  try {
    await createRetryReport(fail).onTestRunEnd?.([repeated(...counts)], [], 'passed');
    return { printed: write.mock.calls.flat().join(''), failed: fail.mock.calls.length };
  } finally {
    write.mockRestore();
  }
}

test('each repeated test is printed with its error; three retries do not fail the run', async () => {
  const line = (i: number, count: number) =>
    `Repeated ${count} times: slow/x.test.ts: test ${i}: expected 1 to be 2\n`;
  expect(await report(0, 1, 2)).toEqual({ printed: line(1, 1) + line(2, 2), failed: 0 });
  expect(await report(0)).toEqual({ printed: '', failed: 0 });
});

test('four retries fail it', async () => {
  const { printed, failed } = await report(1, 1, 2);
  expect(printed).toContain('4 retries: more than 3 fail the run.\n');
  expect(failed).toBe(1);
});
