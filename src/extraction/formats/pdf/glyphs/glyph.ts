/** A glyph of a PDF page. */

/**
 * A glyph on its line. Lengths are in the page's units, usually 1/72 inch. `start` and `end` count along the writing
 * direction; `across` counts at right angles to it, growing upwards, for vertical text to the right.
 */
export type Glyph = {
  /** A letter, or several for a ligature; a control, but never white space. */
  text: string;
  start: number;
  end: number;
  /** The place of the baseline. */
  across: number;
  /** The width of an em along the line. */
  em: number;
  /** The height of an em. */
  size: number;
  /** The writing direction. Text of another direction stands on other lines. */
  direction: string;
  isVertical: boolean;
  font: string;
  /** Its font with its size. */
  style: string;
  /** The character spacing that the file adds after it. */
  spacing: number;
  /** Its number in the font, of several the first one's. */
  code: number;
  /** Its text is its code: pdf.js writes so what the map of a composite font has no text for. */
  isCode: boolean;
  /** White space was drawn between the glyph drawn before and this one. */
  isAfterBlank: boolean;
  /** Its place in the order of drawing. */
  order: number;
};
