/** The bound of a cache, and which values it keeps. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBoundedCache } from './bounded-cache.ts';

/** The distinct keys, the last first. */
const latestFirst = (keys: string[]): string[] => [...new Set(keys.toReversed())];

test('it has at most `max` values, among them the half that was used last, each as it was set last', () => {
  const uses = fc.array(fc.tuple(fc.constantFrom(...'abcdefghijkl'), fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(uses, (steps) => {
      const cache = createBoundedCache<number>(6);
      const latest = new Map<string, number>();
      const used: string[] = [];
      for (const [i, [key, isSet]] of steps.entries()) {
        if (isSet) {
          cache.set(key, i);
          latest.set(key, i);
        } else if (cache.get(key) === undefined) continue;
        used.push(key);
      }
      // To look a value up is to use it: the last ones come first.
      const kept = latestFirst(used).filter((key, i) => {
        const value = cache.get(key);
        expect(value === undefined || value === latest.get(key)).toBe(true);
        if (i < 3) expect(value).toBeDefined();
        return value !== undefined;
      });
      expect(kept.length).toBeLessThanOrEqual(6);
    }),
  );
});
