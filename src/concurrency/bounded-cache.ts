/**
 * A cache that keeps the values used last. It has two halves: where the newer is full, it becomes the older, which is
 * dropped. So a value in use costs one look-up, without a list of all values in the order of their use, and an empty
 * cache takes no memory.
 */

export type BoundedCache<Value extends {}> = {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
};

/** Creates a cache of at most `max` values: at least the `max / 2` that were used last. */
export function createBoundedCache<Value extends {}>(max: number): BoundedCache<Value> {
  let [newer, older] = [new Map<string, Value>(), new Map<string, Value>()];
  const set = (key: string, value: Value) => {
    if (newer.size >= max / 2 && !newer.has(key)) [newer, older] = [new Map(), newer];
    newer.set(key, value);
  };
  return {
    get(key) {
      const value = newer.get(key);
      if (value !== undefined) return value;
      const found = older.get(key);
      if (found !== undefined) set(key, found);
      return found;
    },
    set,
    delete(key) {
      newer.delete(key);
      older.delete(key);
    },
  };
}
