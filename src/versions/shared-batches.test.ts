/** Which imports share a batch. What becomes of their errors: short-texts.test.ts. */
import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createSharedBatches } from './shared-batches.ts';

const BATCH_MS = 40;
const CLIENTS = 4;

test('clients that send one item after the other come to share batches, although they began apart', async () => {
  const sizes: number[] = [];
  const begun = Promise.withResolvers<void>();
  const batches = createSharedBatches<{ knowledgeBaseId: string; description: object }, undefined>(
    async (items) => {
      sizes.push(items.length);
      begun.resolve();
      await delay(BATCH_MS);
      return items.map(() => undefined);
    },
    { connections: 16 },
  );
  const options = { accountId: 'a', signal: new AbortController().signal, remainingWait: undefined };
  const sendAll = async () => {
    for (let i = 0; i < 6; i++) {
      await batches.add({ knowledgeBaseId: 'k', description: {} }, options);
      await nextIteration(); // the way of the answer and of the next item
    }
  };
  const first = Array.from({ length: CLIENTS }, sendAll);
  await begun.promise;
  await Promise.all([...first, ...Array.from({ length: CLIENTS }, sendAll)]);
  expect(Math.max(...sizes)).toBe(2 * CLIENTS);
});

test('a batch that is full waits for nobody', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    const sizes: number[] = [];
    const batches = createSharedBatches<{ knowledgeBaseId: string; description: object }, undefined>(
      async (items) => {
        sizes.push(items.length);
        return items.map(() => undefined);
      },
      { connections: 16 },
    );
    const options = { accountId: 'a', signal: new AbortController().signal, remainingWait: undefined };
    const add = () => batches.add({ knowledgeBaseId: 'k', description: {} }, options);
    const added = Array.from({ length: 40 }, add);
    for (let i = 0; i < 20; i++) await nextIteration(); // no timer ends meanwhile
    expect(sizes).toEqual([16, 16]);
    await vi.advanceTimersByTimeAsync(1_000); // not all timers: other files of this process have some that repeat
    await Promise.all(added);
    expect(sizes).toEqual([16, 16, 8]);
  } finally {
    vi.useRealTimers();
  }
});
