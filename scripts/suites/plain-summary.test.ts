/** The closing line counts every failure of a run. */
import { expect, test, vi } from 'vitest';
import { plainSummary } from './plain-summary.ts';

test('an error outside of all tests counts as a failure', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await plainSummary.onTestRunEnd?.([], [{ name: 'Error', message: 'late', stacks: [] }], 'failed');
    expect(write.mock.calls.flat().join('')).toBe('\n0 skipped\n0 passed, 1 failed\n');
  } finally {
    write.mockRestore();
  }
});
