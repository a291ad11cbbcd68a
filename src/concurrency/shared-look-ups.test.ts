/** Look-ups that share a call. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { shareLookUps } from './shared-look-ups.ts';

type Call = { source: object; scope: string; ids: string[] };

/** Look-ups in a table that has a row for each id but 'none', and refuses the scope 'down'. */
function createTable() {
  const calls: Call[] = [];
  const lookUp = shareLookUps(async (source: object, scope, ids) => {
    calls.push({ source, scope, ids });
    await nextIteration();
    if (scope === 'down') throw new Error('unreachable');
    return new Map(ids.filter((id) => id !== 'none').map((id) => [id, `${scope}/${id}`]));
  });
  return { calls, lookUp };
}

const source = {};

test('look-ups of one iteration share a call for each source and scope, and each gets its own row', async () => {
  const { calls, lookUp } = createTable();
  const other = {};
  const asked = [['1', 'a'] as const, ['1', 'b'] as const, ['1', 'a'] as const, ['2', 'a'] as const];
  const rows = await Promise.all([
    ...asked.map(([scope, id]) => lookUp(source, scope, id)),
    lookUp(source, '1', 'none'),
    lookUp(other, '1', 'a'),
  ]);
  expect(rows).toEqual(['1/a', '1/b', '1/a', '2/a', undefined, '1/a']);
  expect(calls).toEqual([
    { source, scope: '1', ids: ['a', 'b', 'none'] },
    { source, scope: '2', ids: ['a'] },
    { source: other, scope: '1', ids: ['a'] },
  ]);
});

test('a look-up never joins a call that has begun, because that one may not see what was committed since', async () => {
  const { calls, lookUp } = createTable();
  const first = lookUp(source, '1', 'a');
  while (calls.length === 0) await nextIteration();
  await Promise.all([first, lookUp(source, '1', 'a')]);
  expect(calls).toHaveLength(2);
});

/** Look-ups whose calls take until `end`. `calls`: the ids of each call. */
function createSlowTable() {
  const calls: string[][] = [];
  const { promise, resolve: end } = Promise.withResolvers<ReadonlyMap<string, string>>();
  const lookUp = shareLookUps((_source: object, _scope, ids) => {
    calls.push(ids);
    return promise;
  });
  return { calls, lookUp, end: () => end(new Map([['b', 'found']])) };
}

test('the look-ups of several iterations during a call share the next one', async () => {
  const { calls, lookUp, end } = createSlowTable();
  const found = [lookUp(source, '1', 'a')];
  await nextIteration();
  for (const id of ['b', 'c']) {
    found.push(lookUp(source, '1', id));
    await nextIteration();
  }
  end();
  expect(await Promise.all(found)).toEqual([undefined, 'found', undefined]);
  expect(calls).toEqual([['a'], ['b', 'c']]);
});

test('a call that hangs holds the next one up for a fifth of a second', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { calls, lookUp, end } = createSlowTable();
    const found = [lookUp(source, '1', 'a')];
    await nextIteration();
    found.push(lookUp(source, '1', 'b'));
    await vi.advanceTimersByTimeAsync(199);
    await nextIteration();
    expect(calls).toEqual([['a']]);
    await vi.advanceTimersByTimeAsync(1);
    await nextIteration();
    expect(calls).toEqual([['a'], ['b']]);
    end();
    await Promise.all(found);
  } finally {
    vi.useRealTimers();
  }
});

test('the error of a call reaches each look-up of its scope, and no other; the next call is a new one', async () => {
  const { calls, lookUp } = createTable();
  const outcomes = await Promise.allSettled(
    ['down', 'down', 'up'].map((scope) => lookUp(source, scope, 'a')),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  await expect(lookUp(source, 'down', 'a')).rejects.toThrow('unreachable');
  expect(calls).toHaveLength(3);
});

test('a call runs outside the request that opened it, whose end must not cancel the look-ups of others', async () => {
  const request = new AsyncLocalStorage<string>();
  const lookUp = shareLookUps(async () => new Map([['a', request.getStore() ?? 'none']]));
  expect(await request.run('first', () => lookUp(source, '1', 'a'))).toBe('none');
});
