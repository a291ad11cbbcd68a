/** Time limits abort like the caller's signal, with and without `AbortSignal.any`. */
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

  test('the caller’s signal aborts it, with its reason', () => {
    const caller = new AbortController();
    const { deadline, either } = limitTime(caller.signal, NEVER_MS);
    expect(either.aborted).toBe(false);
    caller.abort('enough');
    expect(either.reason).toBe('enough');
    expect(deadline.aborted).toBe(false);
  });

  test('a signal that has aborted before aborts it at once', () => {
    expect(limitTime(AbortSignal.abort('before'), NEVER_MS).either.reason).toBe('before');
  });

  test('the deadline aborts it, with and without a caller’s signal', async () => {
    for (const signal of [new AbortController().signal, undefined]) {
      const { deadline, either } = limitTime(signal, 1);
      await new Promise((resolve) => either.addEventListener('abort', resolve));
      expect(either.reason).toBe(deadline.reason);
    }
  });
});
