/** A server that fails is spared, and tried again with growing pauses. */
import { expect, test } from 'vitest';
import { type BegunCall, createCircuitBreaker } from './circuit-breaker.ts';
import { ModelFailure, ModelUnavailable, RateLimited } from './model-failures.ts';

const down = new ModelUnavailable('down');

function createTested() {
  let nowMs = 0;
  const breaker = createCircuitBreaker(() => nowMs);
  const begin = (): BegunCall => {
    const call = breaker.begin();
    if (call instanceof ModelFailure) throw call;
    return call;
  };
  return {
    ...breaker,
    begin,
    pass(ms: number) {
      nowMs += ms;
    },
    failOften: (count: number) => {
      const calls = Array.from({ length: count }, begin);
      for (const call of calls) call.failed(down);
    },
  };
}

test('it opens after five failures one after another, and not with a success between', () => {
  const { failOften, begin, refusal } = createTested();
  failOften(4);
  begin().succeeded();
  failOften(4);
  expect(refusal()).toBeUndefined();
  failOften(1);
  expect(refusal()).toBe(down);
});

test('calls at the same time that fail together count as one pause', () => {
  const { failOften, refusal, pass } = createTested();
  failOften(50);
  expect(refusal()).toBe(down);
  pass(1_000);
  expect(refusal()).toBeUndefined();
});

test('after a pause one call is tried, and no other; its success closes', () => {
  const { failOften, begin, refusal, pass } = createTested();
  failOften(5);
  pass(999);
  expect(refusal()).toBe(down);
  pass(1);
  const trial = begin();
  expect(begin).toThrow('down');
  trial.succeeded();
  failOften(4);
  expect(refusal()).toBeUndefined();
});

test('each trial that fails doubles the pause, up to a minute', () => {
  const { failOften, begin, refusal, pass } = createTested();
  failOften(5);
  pass(1_000);
  for (const pauseMs of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    begin().failed(down);
    pass(pauseMs - 1);
    expect(refusal()).toBe(down);
    pass(1);
    expect(refusal()).toBeUndefined();
  }
});

test('a call from before it opened neither closes it nor opens it anew', () => {
  const { failOften, begin, refusal, pass } = createTested();
  const [early, late] = [begin(), begin()];
  failOften(5);
  early.succeeded();
  expect(refusal()).toBe(down);
  pass(1_000);
  late.failed(down);
  expect(refusal()).toBeUndefined();
});

test('a server that asks for patience is spared at once, as long as it asks', () => {
  const { begin, refusal, pass } = createTested();
  begin().failed(new RateLimited('slow down', 30_000));
  pass(29_999);
  expect(refusal()?.message).toBe('slow down');
  pass(1);
  begin().failed(new RateLimited('slow down', undefined));
  pass(1_999);
  expect(refusal()).toBeDefined();
  pass(1);
  begin().succeeded();
  expect(refusal()).toBeUndefined();
});
