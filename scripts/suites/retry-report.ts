/**
 * A vitest reporter that prints each test that passed only when it was repeated, and fails a run with many of these.
 */
import type { Reporter, TestModule } from 'vitest/node';

/** More retries than this in a run are no accident. */
const RETRIES_MAX = 3;

/** `fail` is called for a run with too many retries; by default it makes the exit code 1. */
export const createRetryReport = (
  fail = (): void => {
    process.exitCode = 1;
  },
): Reporter => ({
  onTestRunEnd(modules: readonly TestModule[]): void {
    const retries = modules
      .flatMap((module) => [...module.children.allTests()])
      .map((test) => ({ name: `${test.module.relativeModuleId}: ${test.fullName}`, test }))
      .map(({ name, test }) => ({ name, count: test.diagnostic()?.retryCount ?? 0, test }))
      .filter(({ count }) => count > 0);
    const lines = retries.map(({ name, count, test }) => {
      const [first] = test.result().errors ?? [];
      return `Repeated ${count} times: ${name}: ${first?.message ?? 'no error was kept'}\n`;
    });
    const sum = retries.reduce((total, { count }) => total + count, 0);
    if (sum > RETRIES_MAX) lines.push(`${sum} retries: more than ${RETRIES_MAX} fail the run.\n`);
    process.stdout.write(lines.join(''));
    if (sum > RETRIES_MAX) fail();
  },
});
