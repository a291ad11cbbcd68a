/**
 * Token ids: numbers that stand for the tokens and lexemes of a document. A Chinese text may have a million tokens,
 * nearly all of one or two characters. As pairs of numbers they cost a tenth of what strings cost to make, hash and
 * collect.
 */

/** Ids count from 0, in the order in which the texts are first seen. */
export type TokenIds = ReturnType<typeof createTokenIds>;

/** Initial slots, a power of 2. The table doubles when it is half full; most documents are a page. */
const INITIAL_SLOTS = 1 << 10;
/** Spreads neighbouring pairs over the table: 2^32 over the golden ratio (Knuth, volume 3, 6.4). */
const GOLDEN = 0x9e3779b1;

/** Finds the ids of pairs of UTF-16 units. `add`: gives a new pair its id. */
function createPairTable(add: (pair: number) => number): (pair: number) => number {
  /** A hash table: a pair, then its id plus 1. An id of 0 marks a free slot. */
  let slots = new Int32Array(2 * INITIAL_SLOTS);
  let pairCount = 0;

  /** The slot of a pair, or the free slot for it. */
  const slotOf = (pair: number): number => {
    const mask = slots.length - 1;
    let slot = (Math.imul(pair, GOLDEN) >>> 7) & mask & ~1;
    while (slots[slot + 1] !== 0 && slots[slot] !== pair) slot = (slot + 2) & mask;
    return slot;
  };
  const addPair = (pair: number, slot: number): number => {
    const id = add(pair);
    slots[slot] = pair;
    slots[slot + 1] = id + 1;
    if (++pairCount * 4 > slots.length) grow();
    return id;
  };
  /** Doubles the hash table. */
  const grow = (): void => {
    const before = slots;
    slots = new Int32Array(2 * before.length);
    for (let i = 0; i < before.length; i += 2) {
      if (before[i + 1] === 0) continue;
      const pair = before[i] as number; // i is in range
      const slot = slotOf(pair);
      slots[slot] = pair;
      slots[slot + 1] = before[i + 1] as number;
    }
    before.buffer.transfer(0); // frees the memory at once
  };
  return (pair) => {
    const slot = slotOf(pair);
    const found = slots[slot + 1] as number; // slots are in range
    return found === 0 ? addPair(pair, slot) : found - 1;
  };
}

/** Texts must not contain NUL. */
export function createTokenIds() {
  const longer = new Map<string, number>();
  /** Texts by id; '' for a pair of UTF-16 units. */
  const texts: string[] = [];
  /** Pairs by id; 0 for a longer text. */
  let pairs = new Int32Array(INITIAL_SLOTS);

  const add = (text: string, pair: number): number => {
    const id = texts.push(text) - 1;
    if (id === pairs.length) pairs = enlarge(pairs);
    pairs[id] = pair;
    return id;
  };
  const idOfPair = createPairTable((pair) => add('', pair));
  const ofPair = (first: number, second: number): number => idOfPair((first << 16) | second);

  return {
    /** The id of a text of two UTF-16 units; of one unit if `first` is 0. */
    ofPair,
    ofText(text: string): number {
      if (text.length === 2) return ofPair(text.charCodeAt(0), text.charCodeAt(1));
      if (text.length === 1) return ofPair(0, text.charCodeAt(0));
      let id = longer.get(text);
      if (id === undefined) {
        id = add(text, 0);
        longer.set(text, id);
      }
      return id;
    },
    textOf(id: number): string {
      const text = texts[id] as string; // every id has an entry
      if (text !== '') return text;
      const pair = pairs[id] as number;
      return pair >>> 16 === 0 ? String.fromCharCode(pair) : String.fromCharCode(pair >>> 16, pair & 0xffff);
    },
    /** The UTF-16 units of a text of one or two, the first in the upper half; 0 for a longer text. */
    pairOf: (id: number): number => pairs[id] as number,
    size: (): number => texts.length,
  };
}

/**
 * Copies the numbers into an array of twice the length that ends in zeros. `numbers` is empty afterwards. Otherwise V8
 * would keep up to 64 MB of such unused arrays.
 */
export const enlarge = (numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> =>
  new Int32Array(numbers.buffer.transfer(2 * numbers.byteLength));
