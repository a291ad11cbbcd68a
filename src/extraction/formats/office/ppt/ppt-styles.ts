/** Finds the superscripts of a text in a presentation of PowerPoint 97 to 2003 ([MS-PPT] 2.9.44). */

/** Characters of a text. */
export type Stretch = { start: number; end: number };

/** Fields of a run, in their order: the bits of its mask of which any adds the field, and the field's length. */
type Field = [bits: number, length: number];

/** Of paragraphs (2.9.20), before and after the tab stops, which have a length of their own. */
const BEFORE_TABS: Field[] = [
  [0xf, 2],
  [0x80, 2],
  [0x10, 2],
  [0x40, 2],
  [0x20, 4],
  [0x800, 2],
  [0x1000, 2],
  [0x2000, 2],
  [0x4000, 2],
  [0x100, 2],
  [0x400, 2],
  [0x8000, 2],
];
const TABS = 0x10_0000;
const TAB_LENGTH = 4;
const AFTER_TABS: Field[] = [
  [0x1_0000, 2],
  [0xe_0000, 2],
  [0x20_0000, 2],
];
/** Of characters (2.9.14), before the position of their baseline in percent. */
const BEFORE_POSITION: Field[] = [
  [0xffff, 2],
  [0x1_0000, 2],
  [0x20_0000, 2],
  [0x40_0000, 2],
  [0x80_0000, 2],
  [0x2_0000, 2],
  [0x4_0000, 4],
];
const POSITION = 0x8_0000;

const lengthOf = (mask: number, fields: Field[]): number =>
  fields.reduce((sum, [bits, length]) => sum + (mask & bits ? length : 0), 0);

/** The superscripts of a text of `length` characters by its styles; what is damaged has none. */
export function superscriptsIn(styles: Buffer, length: number): Stretch[] {
  const found: Stretch[] = [];
  // The last run of each kind covers the end of the last paragraph too.
  let at = afterParagraphs(styles, length + 1);
  for (let start = 0; start <= length && at + 8 <= styles.length; ) {
    const end = start + styles.readUInt32LE(at);
    const mask = styles.readUInt32LE(at + 4);
    at += 8 + lengthOf(mask, BEFORE_POSITION);
    if (mask & POSITION && at + 2 <= styles.length) {
      if (styles.readInt16LE(at) > 0) found.push({ start, end: Math.min(end, length) });
      at += 2;
    }
    if (end === start) break;
    start = end;
  }
  return found;
}

/** The offset of the runs of characters, which follow the runs of paragraphs. */
function afterParagraphs(styles: Buffer, length: number): number {
  let at = 0;
  for (let covered = 0; covered < length && at + 10 <= styles.length; ) {
    const count = styles.readUInt32LE(at);
    const mask = styles.readUInt32LE(at + 6);
    at += 10 + lengthOf(mask, BEFORE_TABS);
    if (mask & TABS) {
      if (at + 2 > styles.length) return styles.length;
      at += 2 + TAB_LENGTH * styles.readUInt16LE(at);
    }
    at += lengthOf(mask, AFTER_TABS);
    if (count === 0) return styles.length;
    covered += count;
  }
  return at;
}
