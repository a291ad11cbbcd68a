/** A time limit ends what waits as the caller's own signal does, in the oldest Node and browsers too. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limitTime } from './time-limit.ts';

const { any } = AbortSignal;
const NEVER_MS = 100_000;

describe.each(['with', 'without'])('%s AbortSignal.any', (how) => {
  beforeEach(() => {
    if (how === 'without') Reflect.deleteProperty(AbortSignal, 'any');
  });
  afterEach(() => {
    AbortSignal.any = any;
  });

  test('the caller stops it, by his reason', () => {
    const caller = new AbortController();
    const { deadline, either } = limitTime(caller.signal, NEVER_MS);
    expect(either.aborted).toBe(false);
    caller.abort('enough');
    expect(either.reason).toBe('enough');
    expect(deadline.aborted).toBe(false);
  });

  test('a caller who has stopped before stops it at once', () => {
    expect(limitTime(AbortSignal.abort('before'), NEVER_MS).either.reason).toBe('before');
  });

  test('the time stops it, with and without a caller', async () => {
    for (const signal of [new AbortController().signal, undefined]) {
      const { deadline, either } = limitTime(signal, 1);
      await new Promise((resolve) => either.addEventListener('abort', resolve));
      expect(either.reason).toBe(deadline.reason);
    }
  });
});
