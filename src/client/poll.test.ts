/** How long a client waits for an import. */
import { afterEach, expect, test, vi } from 'vitest';
import type { DocumentStatus } from '../../generated/types.gen.ts';
import { untilProcessed } from './poll.ts';

afterEach(() => void vi.useRealTimers());

/** Polls a document that has each of these statuses for ten minutes. Returns the `waitSeconds` of each request. */
async function waitFor(statuses: DocumentStatus[], options: { deadlineMs?: number } = {}): Promise<number[]> {
  vi.useFakeTimers({ toFake: ['Date'] });
  const waits: number[] = [];
  const getStatus = async ({ waitSeconds }: { waitSeconds: number }) => {
    waits.push(waitSeconds);
    vi.setSystemTime(Date.now() + 600_000);
    return { id: 'd', status: statuses.shift() ?? 'processed' };
  };
  await untilProcessed({ getStatus, hasWaiters: () => false }, 'd', options);
  return waits;
}

test('without a deadline, the time in the queue does not count, and the time of the import does', async () => {
  expect(await waitFor(['pending', 'pending', 'pending'])).toEqual([30, 30, 30, 30]);
  expect(await waitFor(['pending', 'processing', 'processing'])).toEqual([30, 30, 30, 0]);
});

test('the caller’s deadline counts from the call', async () => {
  expect(await waitFor(['pending', 'pending'], { deadlineMs: 900_000 })).toEqual([30, 30, 0]);
});

test('while OCR reads pages, the service is asked every five seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const recognition = { done: 1, of: 20 };
  const reports = [{ recognition }, { recognition }, {}];
  const waits: number[] = [];
  const getStatus = async ({ waitSeconds }: { waitSeconds: number }) => {
    waits.push(waitSeconds);
    vi.setSystemTime(Date.now() + 5_000);
    const report = reports.shift();
    return { id: 'd', status: report ? ('processing' as const) : ('processed' as const), ...report };
  };
  await untilProcessed({ getStatus, hasWaiters: () => false }, 'd');
  expect(waits).toEqual([30, 5, 5, 30]);
});
