/** The text that a file names for some of its glyphs, beside the maps of their fonts (ISO 32000-2, 14.9.4). */
import type { Glyph } from './glyph.ts';

/** Stands for the font of such text: what is known of the glyphs' own font does not hold for it. */
export const ACTUAL_TEXT = 'ActualText';

/** Glyphs of a row differ in their baselines by less than this part of their size: marks are raised by half. */
const SAME_ROW = 0.7;

/** Text that is open, the glyph that it begins with, and how many marked stretches are open around it. */
type Open = { text: string; first: number; depth: number };

/** Follows the marked stretches of a page, and puts their text in the place of the glyphs in them. */
export class ActualTexts {
  #depth = 0;
  #open: Open | undefined;

  /** Whether the glyphs that are drawn now stand for such text. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** A stretch begins at the glyph with the number `first`. `text`: a PDF string, if it has one. */
  begin(text: unknown, first: number): void {
    this.#depth++;
    if (this.#open || typeof text !== 'string') return;
    const decoded = decodeTextString(text);
    if (decoded !== '') this.#open = { text: decoded, first, depth: this.#depth };
  }

  /**
   * A stretch ends. Where it has a text, that replaces the glyphs, unless they stand on several rows. Blanks are no
   * glyphs and stay blanks: InDesign draws one with the text of the bullet or hyphen that it draws next to it. Returns
   * whether white space is at its end.
   */
  end(glyphs: Glyph[]): boolean {
    const open = this.#open?.depth === this.#depth ? this.#open : undefined;
    this.#depth = Math.max(0, this.#depth - 1);
    if (!open) return false;
    this.#open = undefined;
    const covered = glyphs.splice(open.first);
    const text = open.text.trim().replace(/\s+/g, ' ');
    const isBlank = covered.length > 0 && covered.every(isDrawnBlank) && !JOINERS.test(text);
    const seen = withoutBlanks(covered);
    const whole = wholeOf(seen.length > 0 ? seen : covered);
    if (!whole) append(glyphs, seen);
    else if (text !== '' && !isBlank)
      glyphs.push({ ...whole, text, isAfterBlank: whole.isAfterBlank || /^\s/.test(open.text) });
    return isBlank || /\s$/.test(open.text);
  }

  /** The page ends: what is still open was not meant for all that follows. */
  finish(glyphs: Glyph[]): void {
    if (this.#open) append(glyphs, withoutBlanks(glyphs.splice(this.#open.first)));
  }
}

/** A glyph with the number of a blank, or of a control, is none. */
const isDrawnBlank = ({ text, isCode }: Glyph): boolean => !isCode && /^\p{Zs}$/u.test(text);
/** Persian words have one that some fonts draw as a blank. */
const JOINERS = /^[\u200c\u200d]+$/;

const withoutBlanks = (glyphs: Glyph[]): Glyph[] =>
  glyphs.filter((glyph) => glyph.text !== '' && !isDrawnBlank(glyph));

/** One by one: a page may have more glyphs than a call has arguments. */
function append(glyphs: Glyph[], added: Glyph[]): void {
  for (const glyph of added) glyphs.push(glyph);
}

/** One glyph in the place of several; undefined where these stand on several rows, or there are none. */
function wholeOf(glyphs: Glyph[]): Glyph | undefined {
  const [first] = glyphs;
  if (!first) return undefined;
  let [base, start, end] = [first, first.start, first.end];
  for (const glyph of glyphs) {
    const isSameRow =
      glyph.direction === first.direction &&
      Math.abs(glyph.across - first.across) < SAME_ROW * Math.max(glyph.size, first.size);
    if (!isSameRow) return undefined;
    if (glyph.end - glyph.start > base.end - base.start) base = glyph;
    start = Math.min(start, glyph.start);
    end = Math.max(end, glyph.end);
  }
  const { order, code, isAfterBlank } = first;
  return { ...base, start, end, order, code, isAfterBlank, font: ACTUAL_TEXT, isCode: false };
}

/** What PDFDocEncoding has in the place of the controls from 0x80 on (annex D.3). */
const DOC_ENCODING = '•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž';
/** The language of what follows stands between two of these (7.9.2.2). */
const ESCAPE = '\u001b';
const LANGUAGE = new RegExp(`${ESCAPE}[^${ESCAPE}]*${ESCAPE}`, 'g');

/** The bytes of a PDF string → its text (7.9.2.2). */
function decodeTextString(bytes: string): string {
  const encoding = /^(?:\xfe\xff|\xff\xfe|\xef\xbb\xbf)/.exec(bytes)?.[0];
  if (encoding === undefined)
    return bytes.replace(/[\x80-\x9e]/g, (byte) => DOC_ENCODING[byte.charCodeAt(0) - 0x80] ?? byte);
  const name = { '\xfe\xff': 'utf-16be', '\xff\xfe': 'utf-16le', '\xef\xbb\xbf': 'utf-8' }[encoding];
  return new TextDecoder(name).decode(Buffer.from(bytes, 'latin1')).replace(LANGUAGE, '');
}
