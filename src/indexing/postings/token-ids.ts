/**
 * Gives the texts of a document's tokens and lexemes numbers. A text in Chinese has a million tokens, nearly all of
 * one or two characters: as pairs of numbers they cost a tenth of what strings do, which are made, hashed and collected.
 */

/** The number of a text counts from 0, in the order in which they are first met. */
export type TokenIds = ReturnType<typeof createTokenIds>;

/** A power of 2; the table doubles when it is half full. Most documents are a page. */
const INITIAL_SLOTS = 1 << 10;
/** Spreads neighbouring pairs over the table: 2^32 over the golden ratio (Knuth, volume 3, 6.4). */
const GOLDEN = 0x9e3779b1;

/** Texts must have no NUL. */
export function createTokenIds() {
  const longer = new Map<string, number>();
  /** By number; of a pair '' until somebody asks. */
  const texts: string[] = [];
  /** By number; 0 for a text that is no pair. */
  let pairs = new Int32Array(INITIAL_SLOTS);
  /** A pair, and behind it its number counted from 1; 0 is a free slot. */
  let slots = new Int32Array(2 * INITIAL_SLOTS);
  let pairCount = 0;

  const add = (text: string, pair: number): number => {
    const number = texts.push(text) - 1;
    if (number === pairs.length) pairs = enlarge(pairs);
    pairs[number] = pair;
    return number;
  };

  /** Where a pair is, or is to be. */
  const slotOf = (pair: number): number => {
    const mask = slots.length - 1;
    let slot = (Math.imul(pair, GOLDEN) >>> 7) & mask & ~1;
    while (slots[slot + 1] !== 0 && slots[slot] !== pair) slot = (slot + 2) & mask;
    return slot;
  };

  const addPair = (pair: number, slot: number): number => {
    const number = add('', pair);
    slots[slot] = pair;
    slots[slot + 1] = number + 1;
    if (++pairCount * 4 > slots.length) spread();
    return number;
  };

  const spread = (): void => {
    const before = slots;
    slots = new Int32Array(2 * before.length);
    for (let i = 0; i < before.length; i += 2) {
      if (before[i + 1] === 0) continue;
      const pair = before[i] as number; // i is in range
      const slot = slotOf(pair);
      slots[slot] = pair;
      slots[slot + 1] = before[i + 1] as number;
    }
    before.buffer.transfer(0); // frees it at once
  };

  const ofPair = (first: number, second: number): number => {
    const pair = (first << 16) | second;
    const slot = slotOf(pair);
    const found = slots[slot + 1] as number; // slots are in range
    return found === 0 ? addPair(pair, slot) : found - 1;
  };

  return {
    /** The number of the text of these UTF-16 units; a `first` of 0 is none. */
    ofPair,
    ofText(text: string): number {
      if (text.length === 2) return ofPair(text.charCodeAt(0), text.charCodeAt(1));
      if (text.length === 1) return ofPair(0, text.charCodeAt(0));
      let number = longer.get(text);
      if (number === undefined) {
        number = add(text, 0);
        longer.set(text, number);
      }
      return number;
    },
    textOf(number: number): string {
      const text = texts[number] as string; // numbers come from here
      if (text !== '') return text;
      const pair = pairs[number] as number;
      return pair >>> 16 === 0 ? String.fromCharCode(pair) : String.fromCharCode(pair >>> 16, pair & 0xffff);
    },
    /** The units of a text of at most two, the first in the upper half; 0 for a longer one. */
    pairOf: (number: number): number => pairs[number] as number,
    size: (): number => texts.length,
  };
}

/**
 * The same numbers, and as many zeros after them; `numbers` is empty from then on. V8 would keep up to 64 MB of such
 * arrays that nobody uses any more.
 */
export const enlarge = (numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> =>
  new Int32Array(numbers.buffer.transfer(2 * numbers.byteLength));
