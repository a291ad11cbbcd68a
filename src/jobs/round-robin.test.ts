/** The order in which workers serve the accounts. */
import fc from 'fast-check';
import { MAX, NIL, v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createRoundRobin, type RoundRobin } from './round-robin.ts';

const normalise = (accountId: string) => accountId.replaceAll('-', '');

/** Returns the next account when the accounts `waiting` have jobs; undefined when no worker may take one. */
function nextOf(roundRobin: RoundRobin, waiting: string[]): string | undefined {
  const ascending = waiting.toSorted();
  for (const { first, last } of roundRobin.nextAccounts()) {
    const next = ascending.find((account) => normalise(account) >= first && normalise(account) <= last);
    if (next !== undefined) return next;
  }
  return undefined;
}

test('serves accounts that always have waiting jobs in turn, the least and the greatest id too', () => {
  const roundRobin = createRoundRobin(4, 2);
  const waiting = [uuidv7(), MAX, NIL];
  const served = Array.from({ length: 9 }, () => {
    const account = nextOf(roundRobin, waiting) ?? '';
    roundRobin.take(account);
    roundRobin.leave(account);
    return account;
  });
  expect(served.slice(3)).toEqual([...served.slice(0, 3), ...served.slice(0, 3)]);
  expect(new Set(served)).toEqual(new Set(waiting));
});

test('while others wait, an account gets at most half of the workers, and one without any gets an extra one', () => {
  const accounts = Array.from({ length: 5 }, () => uuidv7());
  const account = fc.constantFrom(...accounts);
  fc.assert(
    fc.property(fc.array(fc.record({ account, isEnd: fc.boolean() }), { maxLength: 60 }), (steps) => {
      const [roundRobin, held] = [createRoundRobin(4, 2), new Map<string, number>()];
      for (const { account, isEnd } of steps) {
        const count = held.get(account) ?? 0;
        if (isEnd && count > 0) {
          roundRobin.leave(account);
          held.set(account, count - 1);
          continue;
        }
        const taken = [...held.values()].reduce((sum, one) => sum + one, 0);
        const next = nextOf(roundRobin, accounts);
        if (taken >= 6) expect(next).toBeUndefined();
        else if (taken < 4) expect(held.get(next ?? '') ?? 0).toBeLessThan(2);
        else expect(held.get(next ?? '') ?? 0).toBe(0);
        if (next === undefined) continue;
        roundRobin.take(next);
        held.set(next, (held.get(next) ?? 0) + 1);
      }
    }),
  );
});
