/** The order in which owners get a scarce resource. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createShares, type Shares } from './fair-semaphore.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Lets each of these owners take one, in this order; returns the owners that got theirs, in that order. */
function takeAll(shares: Shares, owners: string[]): string[] {
  const got: string[] = [];
  for (const owner of owners) shares.take(owner).then(() => got.push(owner));
  return got;
}

test('an owner alone has all; its requests are served in the order of coming', async () => {
  const shares = createShares(3);
  const got = takeAll(shares, ['a', 'a', 'a', 'a']);
  await turn();
  expect(got).toHaveLength(3);
  shares.leave('a');
  await turn();
  expect(got).toHaveLength(4);
});

test('while another owner is there, nobody holds more than half, rounded down', async () => {
  const shares = createShares(5);
  await shares.take('b');
  shares.leave('b');
  const got = takeAll(shares, ['a', 'a', 'a', 'a', 'a']);
  await turn();
  expect(got).toEqual(['a', 'a']);
  vi.advanceTimersByTime(1_000);
  shares.leave('a');
  await turn();
  expect(got).toHaveLength(5);
});

test('an owner that is alone again gets the rest within two seconds, though nothing is given back', async () => {
  const shares = createShares(4);
  await shares.take('b');
  shares.leave('b');
  const got = takeAll(shares, ['a', 'a', 'a', 'a', 'a']);
  await turn();
  expect(got).toHaveLength(2);
  vi.advanceTimersByTime(2_000);
  await turn();
  expect(got).toHaveLength(4);
});

test('what is given back goes to the owner that holds least, then to the one served least lately', async () => {
  const shares = createShares(2);
  const got = takeAll(shares, ['a', 'a', 'a', 'a', 'b', 'b', 'c']);
  await turn();
  const served: string[] = [];
  for (const leaving of ['a', 'a', 'b', 'c', 'a']) {
    got.length = 0;
    shares.leave(leaving);
    await turn();
    served.push(got.join());
  }
  expect(served).toEqual(['b', 'c', 'a', 'b', 'a']);
});

test('a request that comes when its owner may have more again stands behind those that were held back', async () => {
  const shares = createShares(4);
  await shares.take('b');
  shares.leave('b');
  vi.advanceTimersByTime(1);
  const got: string[] = [];
  for (const name of ['first', 'second', 'third']) shares.take('a').then(() => got.push(name));
  // The other owner has left now, but no check has run yet.
  vi.advanceTimersByTime(999);
  shares.take('a').then(() => got.push('fourth'));
  await turn();
  expect(got).toEqual(['first', 'second', 'third', 'fourth']);
});

test('a thousand waiting requests of one owner do not hold up the first of another', async () => {
  const shares = createShares(1);
  takeAll(shares, Array(1_000).fill('a'));
  const others = takeAll(shares, ['b']);
  shares.leave('a');
  await turn();
  expect(others).toEqual(['b']);
});

test('work that goes on comes before new work of its owner, not before that of others', async () => {
  const shares = createShares(1);
  const got: string[] = [];
  await shares.take('a');
  shares.take('a').then(() => got.push('new'));
  shares.take('a', { isReturning: true }).then(() => got.push('returning'));
  shares.take('b').then(() => got.push('other'));
  for (const leaving of ['a', 'b', 'a']) {
    shares.leave(leaving);
    await turn();
  }
  expect(got).toEqual(['other', 'returning', 'new']);
});

test('a visitor gets one beside those that are taken, and no second one', async () => {
  const shares = createShares(1, undefined, 1);
  const got = takeAll(shares, ['a', 'a', 'b', 'b', 'c']);
  await turn();
  expect(got).toEqual(['a', 'b']);
  shares.leave('a');
  await turn();
  expect(got).toEqual(['a', 'b', 'c']);
  shares.leave('b');
  shares.leave('c');
  await turn();
  expect(got.slice(3).toSorted()).toEqual(['a', 'b']);
});

test('a wait that its signal ends takes nothing', async () => {
  const shares = createShares(1);
  await shares.take('a');
  const ending = new AbortController();
  const ended = shares.take('b', { signal: ending.signal });
  ending.abort(new Error('not wanted any more'));
  await expect(ended).rejects.toThrow('not wanted any more');
  shares.leave('a');
  await expect(shares.take('a')).resolves.toBeUndefined();
});
