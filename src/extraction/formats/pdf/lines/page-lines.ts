/** The glyphs of a page → its lines as text. */

import type { FormValue } from '../annotations.ts';
import { withoutCopies } from '../glyphs/drawn-twice.ts';
import type { Glyph } from '../glyphs/glyph.ts';
import { turnStacked } from '../glyphs/stacked.ts';
import { joinAccents } from './accents.ts';
import { placeValues } from './form-values.ts';
import { type GlyphLine, groupLines } from './group-lines.ts';
import { fontsWithBackwardLigatures, lettersOf } from './letters.ts';
import { type Cluster, logicalOrder, mayRunLeft } from './logical-order.ts';
import { joinMarks } from './marks.ts';
import { joinRows } from './rows.ts';
import { findRaised } from './superscripts.ts';
import { findWordGaps } from './word-gaps.ts';

/** A stretch of a line, or a superscript in it. */
export type LinePart = { text: string; isRaised: boolean };

/**
 * A line. `size`: the height of most of its letters; 0 for a line from another source. `gap`: the distance to the
 * previous line; infinite where the line stands above it, as in another column. Both are in the page's units, usually
 * 1/72 inch.
 */
export type PdfLine = { parts: LinePart[]; text: string; size: number; gap: number };

/** A line that is raised by less than this part of its size does not stand above the previous one. */
const SAME_HEIGHT = 0.5;

/** The lines of a page's glyphs, in the order of drawing, with the values of its form. */
export function linesOf(drawn: Glyph[], values: FormValue[] = []): PdfLine[] {
  const glyphs = turnStacked(joinAccents(withoutCopies(joinMarks(drawn))));
  const backward = fontsWithBackwardLigatures(glyphs);
  const lines: PdfLine[] = [];
  let above: Glyph | undefined;
  for (const line of placeValues(joinRows(groupLines(glyphs)), values)) {
    const { base, raised } = findRaised(line);
    const clusters = clustersOf(line, { raised, backward });
    const parts = partsOf(base?.isVertical ? clusters : logicalOrder(clusters));
    const text = parts.map((part) => part.text).join('');
    if (!base || text.trim() === '') continue;
    const gap = above?.direction === base.direction ? above.across - base.across : Number.POSITIVE_INFINITY;
    lines.push({
      parts,
      text: text.trim(),
      size: Math.round(base.size * 2) / 2,
      gap: gap < -SAME_HEIGHT * base.size ? Number.POSITIVE_INFINITY : Math.abs(gap),
    });
    above = base;
  }
  return lines;
}

type Marks = { raised: ReadonlySet<Glyph>; backward: ReadonlySet<string> };

function clustersOf(line: GlyphLine, { raised, backward }: Marks): Cluster[] {
  const gaps = findWordGaps(line);
  const clusters: Cluster[] = [];
  const isReordered = line.some(({ text }) => mayRunLeft(text));
  for (const [i, glyph] of line.entries()) {
    const isRaised = raised.has(glyph);
    const isInside = i < line.length - 1;
    const letters = lettersOf(glyph, backward);
    // In the middle of a line a hyphen that may be left out is none that was left out.
    const text = isInside && letters === '\u00ad' ? '-' : letters;
    const last = clusters.at(-1);
    if (!isReordered && last?.isRaised === isRaised) last.text += gaps[i] ? ` ${text}` : text;
    else {
      if (gaps[i]) clusters.push({ text: ' ', isRaised: isRaised && last?.isRaised === true });
      if (text !== '') clusters.push({ text, isRaised });
    }
  }
  return clusters;
}

function partsOf(clusters: Cluster[]): LinePart[] {
  const parts: LinePart[] = [];
  for (const { text, isRaised } of clusters) {
    const last = parts.at(-1);
    if (last?.isRaised === isRaised) last.text += text;
    else parts.push({ text, isRaised });
  }
  return parts;
}
