/** Joins the text pieces of a PDF page into lines. */

/** A piece from pdf.js. `transform` maps text to page space; its last two numbers are the position. */
export type PdfPiece = { str: string; transform: number[]; hasEOL: boolean };

/**
 * A line. `size`: the height of most of its letters; 0 for a line from another source.
 * `gap`: the distance to the previous line. Both are in the page's units, usually 1/72 inch.
 */
export type PdfLine = { text: string; size: number; gap: number };

type Draft = { text: string; sizes: Map<number, number>; y: number };

/** The lines in the file's drawing order, which is usually the reading order. */
export function linesOf(pieces: PdfPiece[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let line: Draft | undefined;
  let above: number | undefined;
  const end = () => {
    if (line && line.text.trim() !== '') {
      const gap = above === undefined ? Number.POSITIVE_INFINITY : Math.abs(above - line.y);
      lines.push({ text: line.text.trim(), size: mostFrequent(line.sizes), gap });
      above = line.y;
    }
    line = undefined;
  };
  for (const { str, transform, hasEOL } of pieces) {
    const [, , skewX = 0, scaleY = 0, , y = 0] = transform;
    line ??= { text: '', sizes: new Map(), y };
    line.text += str;
    const size = Math.round(Math.hypot(skewX, scaleY) * 2) / 2;
    const letters = str.trim().length;
    if (letters > 0) line.sizes.set(size, (line.sizes.get(size) ?? 0) + letters);
    if (hasEOL) end();
  }
  end();
  return lines;
}

/** The size with the greatest weight; 0 where there is none. */
export function mostFrequent(weights: ReadonlyMap<number, number>): number {
  let most = 0;
  let found = 0;
  for (const [size, weight] of weights) {
    if (weight > most) {
      most = weight;
      found = size;
    }
  }
  return found;
}
