/** How much of the event loop one account may have for work that holds it. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createHeavyWork } from './heavy-work.ts';

const WORK_MS = 20;
const hold = () => {
  const untilMs = performance.now() + WORK_MS;
  while (performance.now() < untilMs);
};

/** Does as much as it may within a time; gives how often. */
async function workFor(ms: number, owners: number): Promise<number> {
  const heavy = createHeavyWork(() => owners);
  const untilMs = performance.now() + ms;
  let count = 0;
  while (performance.now() < untilMs) {
    await heavy.run('a', {}, hold);
    count++;
  }
  return count;
}

test('alone an account has all of it, beside another one a quarter', async () => {
  expect(await workFor(400, 2)).toBeLessThanOrEqual(6);
  expect(await workFor(400, 1)).toBeGreaterThan(6);
});

test('accounts take turns', async () => {
  const heavy = createHeavyWork(() => 1);
  const done: string[] = [];
  const run = (owner: string) => heavy.run(owner, {}, () => done.push(owner));
  await Promise.all([run('a'), run('a'), run('a'), delay(0).then(() => run('b'))]);
  expect(done.indexOf('b')).toBeLessThan(3);
});
