/** A wait ends in time, whatever is left of it. */
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWaitQueue } from './wait-queue.ts';

let warnings: Error[] = [];
const keep = (warning: Error) => void warnings.push(warning);
beforeEach(() => {
  warnings = [];
  process.on('warning', keep);
});
afterEach(() => void process.off('warning', keep));

test('a remaining wait below 0 ends the wait at once, and Node has nothing to warn of', async () => {
  const wait = createWaitQueue<void>().wait(undefined, { remainingWait: { leftMs: -9.95 } });
  await expect(wait).rejects.toMatchObject({ status: 503 });
  // Warnings come in a later iteration of the event loop: this one is the last of them.
  const last = once(process, 'warning');
  process.emitWarning('the last');
  await last;
  expect(warnings.map(({ message }) => message)).toEqual(['the last']);
});
