/** The share of the event loop that the heavy work of one account may take. */
import { PassThrough } from 'node:stream';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { createAdmission } from './admission.ts';
import { createHeavyWork, type HeavyWork } from './heavy-work.ts';

afterEach(() => void vi.useRealTimers());

const WORK_MS = 20;
const hold = () => {
  const untilMs = performance.now() + WORK_MS;
  while (performance.now() < untilMs);
};

async function run(heavy: HeavyWork, owner: string, act: () => void | Promise<void>): Promise<void> {
  const turn = await heavy.take(owner, {});
  turn.begin();
  await act();
  turn.end();
}

/** Does heavy work again and again for `ms`. Returns how often it got a turn. */
async function workFor(ms: number, owners: number): Promise<number> {
  const heavy = createHeavyWork(() => owners);
  const untilMs = performance.now() + ms;
  let count = 0;
  while (performance.now() < untilMs) {
    await run(heavy, 'a', hold);
    count++;
  }
  return count;
}

test('a single account gets all of the event loop, one of two accounts a sixth', async () => {
  expect(await workFor(400, 2)).toBeLessThanOrEqual(5);
  expect(await workFor(400, 1)).toBeGreaterThan(6);
});

test('an unused turn is passed on without a pause', async () => {
  const heavy = createHeavyWork(() => 2);
  const unused = await heavy.take('a', {});
  await delay(100);
  unused.end();
  await heavy.take('a', { waitMaxMs: 50 });
});

test("an account's heavy work runs one at a time, while other accounts do theirs", async () => {
  const heavy = createHeavyWork(() => 2);
  const done: string[] = [];
  const work = (owner: string, ms: number) =>
    run(heavy, owner, () => delay(ms).then(() => void done.push(owner)));
  await Promise.all([work('a', 10), work('a', 10), work('b', 1)]);
  expect(done).toEqual(['b', 'a', 'a']);
});

test('a request that cannot get its permit back passes its turn for heavy work on', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const admission = createAdmission(2, (key) => key);
  const newClient = () => new PassThrough();
  const admitOne = (key: string) => admission.admit('others', { key, client: newClient() });
  const other = await admitOne('b');
  const first = await admitOne('a');
  const firstWork = Promise.withResolvers<void>();
  const doingFirst = first.runHeavy(() => firstWork.promise);
  await turn();
  const client = newClient();
  const waiting = admission.admit('others', { key: 'a', client });
  first.release();
  const second = (await waiting).runHeavy(() => {});
  await turn();
  await admitOne('c');
  firstWork.resolve();
  await doingFirst;
  await turn();
  await vi.advanceTimersByTimeAsync(1);
  client.destroy();
  await expect(second).rejects.toMatchObject({ errorCode: 'MALFORMED_REQUEST' });
  await turn();
  await vi.advanceTimersByTimeAsync(100);
  other.release();
  const next = await admitOne('a');
  const done = next.runHeavy(() => 'done').catch((error) => error);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await done).toBe('done');
});
