/** The share of the event loop that the heavy work of one account may take. */
import { availableParallelism } from 'node:os';
import { PassThrough } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAdmission } from './admission.ts';
import { createHeavyWork, type HeavyWork } from './heavy-work.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const WORK_MS = 20;

/** Lets the clock go on until `work` has ended. */
async function during<T>(work: Promise<T>): Promise<T> {
  let hasEnded = false;
  const ended = work.finally(() => {
    hasEnded = true;
  });
  for (await nextIteration(); !hasEnded; await nextIteration()) vi.advanceTimersByTime(1);
  return await ended;
}

async function run(heavy: HeavyWork, owner: string, act: () => void | Promise<void>): Promise<void> {
  const slot = await heavy.take(owner, {});
  slot.begin();
  await act();
  slot.end();
}

/** Does heavy work again and again for `ms`. Returns how often it gets a slot. */
async function workFor(ms: number, owners: number): Promise<number> {
  const heavy = createHeavyWork(() => owners);
  const untilMs = performance.now() + ms;
  let count = 0;
  while (performance.now() < untilMs) {
    await during(run(heavy, 'a', () => void vi.advanceTimersByTime(WORK_MS)));
    count++;
  }
  return count;
}

test('a single account gets all of the event loop, one of two accounts a sixth', async () => {
  expect(await workFor(1_100, 2)).toBe(10);
  expect(await workFor(1_100, 1)).toBe(55);
});

test('a single account does one more at a time than there are processors, and one when another comes', async () => {
  let owners = 1;
  const heavy = createHeavyWork(() => owners);
  const ends: (() => void)[] = [];
  const endless = () => run(heavy, 'a', () => new Promise<void>((resolve) => ends.push(resolve)));
  const first = Array.from({ length: availableParallelism() + 1 }, endless);
  void Array.from({ length: 2 }, endless); // these wait
  await nextIteration();
  expect(ends).toHaveLength(first.length);
  owners = 2;
  for (const end of ends) end();
  await Promise.all(first);
  await nextIteration();
  vi.advanceTimersByTime(1_000);
  await nextIteration();
  expect(ends).toHaveLength(first.length + 1);
});

test('an unused slot is passed on without a pause', async () => {
  const heavy = createHeavyWork(() => 2);
  const unused = await heavy.take('a', {});
  vi.advanceTimersByTime(100);
  unused.end();
  await during(heavy.take('a', { waitMaxMs: 50 }));
});

test("an account's heavy work runs one at a time, while other accounts do theirs", async () => {
  const heavy = createHeavyWork(() => 2);
  const done: string[] = [];
  const other = Promise.withResolvers<void>();
  await during(
    Promise.all([
      run(heavy, 'a', () => other.promise.then(() => void done.push('first of a'))),
      run(heavy, 'a', () => void done.push('second of a')),
      run(heavy, 'b', () => {
        done.push('b');
        other.resolve();
      }),
    ]),
  );
  expect(done).toEqual(['b', 'first of a', 'second of a']);
});

test('a request that cannot get its permit back passes its slot for heavy work on', async () => {
  const admission = createAdmission(2, (key) => key);
  const newClient = () => new PassThrough();
  const admitOne = (key: string) => admission.admit('others', { key, client: newClient() });
  const other = await admitOne('b');
  const first = await admitOne('a');
  const firstWork = Promise.withResolvers<void>();
  const doingFirst = first.runHeavy(() => firstWork.promise);
  await nextIteration();
  const client = newClient();
  const waiting = admission.admit('others', { key: 'a', client });
  first.release();
  const second = (await waiting).runHeavy(() => {});
  await nextIteration();
  for (const key of ['c', 'd']) await admitOne(key); // the last permit, and the reserve
  firstWork.resolve();
  await doingFirst;
  await nextIteration();
  await vi.advanceTimersByTimeAsync(1);
  client.destroy();
  await expect(second).rejects.toMatchObject({ errorCode: 'MALFORMED_REQUEST' });
  await nextIteration();
  await vi.advanceTimersByTimeAsync(100);
  other.release();
  const next = await admitOne('a');
  const done = next.runHeavy(() => 'done').catch((error) => error);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await done).toBe('done');
});
