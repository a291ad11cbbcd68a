/** The order in which owners get permits. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFairSemaphore, type FairSemaphore } from './fair-semaphore.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Requests a permit for each of these owners in turn. Returns the owners that got one, in that order. */
function acquireAll(semaphore: FairSemaphore, owners: string[]): string[] {
  const granted: string[] = [];
  for (const owner of owners) semaphore.acquire(owner).then(() => granted.push(owner));
  return granted;
}

test('a single owner may hold all permits; its requests are served in order of arrival', async () => {
  const semaphore = createFairSemaphore(3);
  const granted = acquireAll(semaphore, ['a', 'a', 'a', 'a']);
  await nextIteration();
  expect(granted).toHaveLength(3);
  semaphore.release('a');
  await nextIteration();
  expect(granted).toHaveLength(4);
});

test('while another owner is present, no owner holds more than half, rounded down', async () => {
  const semaphore = createFairSemaphore(5);
  await semaphore.acquire('b');
  semaphore.release('b');
  const granted = acquireAll(semaphore, ['a', 'a', 'a', 'a', 'a']);
  await nextIteration();
  expect(granted).toEqual(['a', 'a']);
  vi.advanceTimersByTime(1_000);
  semaphore.release('a');
  await nextIteration();
  expect(granted).toHaveLength(5);
});

test('an owner that is alone again gets the rest within two seconds, although no permit is released', async () => {
  const semaphore = createFairSemaphore(4);
  await semaphore.acquire('b');
  semaphore.release('b');
  const granted = acquireAll(semaphore, ['a', 'a', 'a', 'a', 'a']);
  await nextIteration();
  expect(granted).toHaveLength(2);
  vi.advanceTimersByTime(2_000);
  await nextIteration();
  expect(granted).toHaveLength(4);
});

test('a released permit goes to the owner with the fewest, among equals to the one served least recently', async () => {
  const semaphore = createFairSemaphore(2);
  const granted = acquireAll(semaphore, ['a', 'a', 'a', 'a', 'b', 'b', 'c']);
  await nextIteration();
  const served: string[] = [];
  for (const releasing of ['a', 'a', 'b', 'c', 'a']) {
    granted.length = 0;
    semaphore.release(releasing);
    await nextIteration();
    served.push(granted.join());
  }
  expect(served).toEqual(['b', 'c', 'a', 'b', 'a']);
});

test('earlier requests of an owner that were held back come before a new one', async () => {
  const semaphore = createFairSemaphore(4);
  await semaphore.acquire('b');
  semaphore.release('b');
  vi.advanceTimersByTime(1);
  const granted: string[] = [];
  for (const name of ['first', 'second', 'third']) semaphore.acquire('a').then(() => granted.push(name));
  // The other owner no longer counts as present, but no check has run yet.
  vi.advanceTimersByTime(999);
  semaphore.acquire('a').then(() => granted.push('fourth'));
  await nextIteration();
  expect(granted).toEqual(['first', 'second', 'third', 'fourth']);
});

test('a thousand waiting requests of one owner do not delay the first request of another', async () => {
  const semaphore = createFairSemaphore(1);
  acquireAll(semaphore, Array(1_000).fill('a'));
  const others = acquireAll(semaphore, ['b']);
  semaphore.release('a');
  await nextIteration();
  expect(others).toEqual(['b']);
});

test('continued work comes before new work of its owner, but not before work of others', async () => {
  const semaphore = createFairSemaphore(1);
  const granted: string[] = [];
  await semaphore.acquire('a');
  semaphore.acquire('a').then(() => granted.push('new'));
  semaphore.acquire('a', { isReturning: true }).then(() => granted.push('returning'));
  semaphore.acquire('b').then(() => granted.push('other'));
  for (const releasing of ['a', 'b', 'a']) {
    semaphore.release(releasing);
    await nextIteration();
  }
  expect(granted).toEqual(['other', 'returning', 'new']);
});

test('an owner without a permit gets one of the reserve, but no second one', async () => {
  const semaphore = createFairSemaphore(1, undefined, 1);
  const granted = acquireAll(semaphore, ['a', 'a', 'b', 'b', 'c']);
  await nextIteration();
  expect(granted).toEqual(['a', 'b']);
  semaphore.release('a');
  await nextIteration();
  expect(granted).toEqual(['a', 'b', 'c']);
  semaphore.release('b');
  semaphore.release('c');
  await nextIteration();
  expect(granted.slice(3).toSorted()).toEqual(['a', 'b']);
});

test('a wait that its signal ends takes no permit', async () => {
  const semaphore = createFairSemaphore(1);
  await semaphore.acquire('a');
  const ending = new AbortController();
  const ended = semaphore.acquire('b', { signal: ending.signal });
  ending.abort(new Error('no longer wanted'));
  await expect(ended).rejects.toThrow('no longer wanted');
  semaphore.release('a');
  await expect(semaphore.acquire('a')).resolves.toBeUndefined();
});
