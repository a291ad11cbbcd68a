/** Limits of wall time grow with other work on the machine, and not with the work of the test itself. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { measureSlowdown, readMachineTimes, slowdownOf } from '../../harness/machine/machine-slowdown.ts';

const START = { idleMs: 5_000, busyMs: 90_000, ownMs: 700 };
const after = (idleMs: number, busyMs: number, ownMs: number) => ({
  idleMs: START.idleMs + idleMs,
  busyMs: START.busyMs + busyMs,
  ownMs: START.ownMs + ownMs,
});

test.each([
  ['an idle machine', after(4_000, 0, 0), 1],
  ['own work on all cores', after(0, 4_000, 4_000), 1],
  ['other work on one of two cores', after(2_000, 2_000, 0), 2],
  ['other work on one of two cores, own work on the other', after(0, 4_000, 2_000), 2],
  ['other work that leaves a fifth to the test', after(0, 4_000, 800), 5],
  ['own processes that ended elsewhere', after(4_000, 0, -300), 1],
])('%s', (_what, end, slowdown) => expect(slowdownOf(START, end)).toBe(slowdown));

const USED_MS = 600;
const BUSY = `while (process.cpuUsage().user < ${1000 * USED_MS}) for (let i = 0; i < 1e6; i++); console.log('done');`;

test.skipIf(platform() !== 'linux')('the work of a child counts as own, also after its end', async () => {
  const before = readMachineTimes()?.ownMs ?? Number.NaN;
  const child = spawn(process.execPath, ['-e', `${BUSY} process.stdin.resume()`]);
  await once(child.stdout, 'data');
  const during = readMachineTimes()?.ownMs ?? Number.NaN;
  child.stdin.end();
  await Promise.all([once(child, 'exit'), text(child.stdout)]);
  const afterwards = readMachineTimes()?.ownMs ?? Number.NaN;
  // Ticks of ten milliseconds are counted at their ends.
  expect(during - before).toBeGreaterThan(USED_MS - 50);
  expect(afterwards - before).toBeGreaterThan(USED_MS - 50);
  expect(measureSlowdown()()).toBeGreaterThanOrEqual(1);
});
