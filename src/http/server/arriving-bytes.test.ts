/** The minimum rate at which a body has to arrive. */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { arrivingBytes } from './arriving-bytes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Sends this many bytes every second for a minute. Returns how many arrived, and the error at the end. */
async function receive(bytesPerSecond: number, storeMs = 0) {
  const sent = new PassThrough();
  let [received, error] = [0, undefined as Error | undefined];
  const reading = (async () => {
    for await (const piece of arrivingBytes(sent as unknown as IncomingMessage)) {
      received += piece.length;
      vi.advanceTimersByTime(storeMs);
    }
  })().catch((thrown) => {
    error = thrown;
  });
  for (let second = 0; second < 60; second++) {
    await nextIteration();
    vi.advanceTimersByTime(1_000);
    sent.write(Buffer.alloc(bytesPerSecond));
  }
  sent.end();
  await reading;
  return { received, error };
}

test('a body of 20 KB a second arrives; one of 10 KB a second is cut off', async () => {
  expect(await receive(20_000)).toEqual({ received: 1_200_000, error: undefined });
  const slow = await receive(10_000);
  expect(slow.error).toMatchObject({ errorCode: 'REQUEST_TIMEOUT', headers: { connection: 'close' } });
  expect(slow.received).toBeLessThan(200_000);
});

test('the time spent on storing a piece does not count against its sender', async () => {
  expect(await receive(20_000, 10_000)).toEqual({ received: 1_200_000, error: undefined });
});
