/** A vitest reporter that ends a run with the plain line `N passed, N failed`, after the number of skipped tests. */
import type { Reporter, TestModule } from 'vitest/node';

export const plainSummary: Reporter = {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    // An error outside all tests fails the run as well.
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === 'pending' ? 'skipped' : state]++;
      }
      // A file with an error before its first test has failed as a whole.
      if (module.state() === 'failed' && module.children.allTests('failed').next().done) counts.failed++;
    }
    process.stdout.write(`\n${counts.skipped} skipped\n${counts.passed} passed, ${counts.failed} failed\n`);
  },
};
