/** The order in which importers serve the accounts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createImportTurns, laneOf } from './import-turns.ts';

/** Returns the next lane when the lanes `waiting` have imports; undefined when no importer may take one. */
function nextOf(turns: ReturnType<typeof createImportTurns>, waiting: number[]): number | undefined {
  const descending = waiting.toSorted((a, b) => b - a);
  for (const { min, max } of turns.nextLanes()) {
    const next = descending.find((lane) => lane >= min && lane <= max);
    if (next !== undefined) return next;
  }
  return undefined;
}

test('serves accounts that always have waiting imports in turn', () => {
  const turns = createImportTurns(4, 2);
  const served = Array.from({ length: 9 }, () => {
    const lane = nextOf(turns, [7, 2 ** 31 - 1, 0]) ?? -1;
    turns.take(lane);
    turns.leave(lane);
    return lane;
  });
  expect(served.slice(3)).toEqual([...served.slice(0, 3), ...served.slice(0, 3)]);
  expect(new Set(served)).toEqual(new Set([0, 7, 2 ** 31 - 1]));
});

test('while others wait, a lane gets at most half of the importers, and a lane without one gets an extra one', () => {
  const lane = fc.integer({ min: 0, max: 4 });
  fc.assert(
    fc.property(fc.array(fc.record({ lane, isEnd: fc.boolean() }), { maxLength: 60 }), (steps) => {
      const [turns, held] = [createImportTurns(4, 2), new Map<number, number>()];
      for (const { lane, isEnd } of steps) {
        const count = held.get(lane) ?? 0;
        if (isEnd && count > 0) {
          turns.leave(lane);
          held.set(lane, count - 1);
          continue;
        }
        const taken = [...held.values()].reduce((sum, one) => sum + one, 0);
        const next = nextOf(turns, [0, 1, 2, 3, 4]);
        if (taken >= 6) expect(next).toBeUndefined();
        else if (taken < 4) expect(held.get(next ?? -1) ?? 0).toBeLessThan(2);
        else expect(held.get(next ?? -1) ?? 0).toBe(0);
        if (next === undefined) continue;
        turns.take(next);
        held.set(next, (held.get(next) ?? 0) + 1);
      }
    }),
  );
});

test('the lane of each account fits into the column', () => {
  fc.assert(
    fc.property(fc.uuid({ version: 7 }), (accountId) => {
      const lane = laneOf(accountId);
      expect(Number.isInteger(lane) && lane >= 0 && lane < 2 ** 31).toBe(true);
    }),
  );
});
