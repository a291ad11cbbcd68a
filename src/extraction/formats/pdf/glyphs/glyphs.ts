/** Follows the operators of a PDF page and places each glyph that they draw. */

import { OPS } from 'pdfjs-dist/legacy/build/pdf.min.mjs';
import { ActualTexts } from './actual-text.ts';
import type { Glyph } from './glyph.ts';
import { multiply, translate } from './matrix.ts';
import type { DrawnGlyph, Operators, PdfFont } from './pdfjs-insides.ts';
import { initialState, STATE_CHANGES, type TextState } from './text-state.ts';

/** `view`: the page's box, [left, bottom, right, top]. What is drawn outside of it cannot be seen. */
export type PdfPage = {
  operators: Operators;
  view: number[];
  fonts: ReadonlyMap<string, PdfFont>;
};

/** `blanks`: for each font the widths of what it draws for U+0020, in its units. */
export type PlacedGlyphs = { glyphs: Glyph[]; blanks: ReadonlyMap<string, ReadonlySet<number>> };

/** The glyphs in the order of drawing, in time proportional to the number of operators. */
export function placeGlyphs({ operators: { fnArray, argsArray }, view, fonts }: PdfPage): PlacedGlyphs {
  const saved: TextState[] = [];
  const pen: Pen = {
    ...{ state: initialState(), view, isAfterBlank: false },
    ...{ glyphs: [], blanks: new Map(), actualTexts: new ActualTexts() },
  };
  /** Open groups that only mask what is drawn later, and those inside of them. */
  let masks = 0;
  for (let i = 0; i < fnArray.length; i++) {
    const operator = fnArray[i] ?? 0;
    const operands = argsArray[i] ?? [];
    if (operator === OPS.beginGroup) masks += masks > 0 || isMask(operands[0]) ? 1 : 0;
    if (operator === OPS.endGroup && masks > 0) masks--;
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) saved.push({ ...pen.state });
    if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd)
      pen.state = saved.pop() ?? pen.state;
    STATE_CHANGES.get(operator)?.(pen.state, operands);
    if (operator === OPS.showText && masks === 0) show(pen, fonts.get(pen.state.font), operands[0]);
    else followMarks(pen, operator, operands);
  }
  pen.actualTexts.finish(pen.glyphs);
  return pen;
}

function followMarks(pen: Pen, operator: number, operands: unknown[]): void {
  const { actualTexts, glyphs } = pen;
  if (operator === OPS.beginMarkedContent) actualTexts.begin(undefined, glyphs.length);
  if (operator === OPS.beginMarkedContentProps) actualTexts.begin(operands[1], glyphs.length);
  if (operator === OPS.endMarkedContent && actualTexts.end(glyphs)) pen.isAfterBlank = true;
}

const isMask = (group: unknown): boolean =>
  typeof group === 'object' && group !== null && 'smask' in group && Boolean(group.smask);

type Pen = {
  state: TextState;
  view: number[];
  isAfterBlank: boolean;
  glyphs: Glyph[];
  blanks: Map<string, Set<number>>;
  actualTexts: ActualTexts;
};

/** Draws glyphs one after another (ISO 32000-2, 9.4.4). A number moves the next one back by thousandths of an em. */
function show(pen: Pen, font: PdfFont | undefined, drawn: unknown): void {
  if (!font || !Array.isArray(drawn)) return;
  const { state } = pen;
  const { size, scale, spacing, wordSpacing } = state;
  const line = lineOf(state, font);
  const unit = size * (font.fontMatrix?.[0] ?? 0.001);
  /** Moves along the line count in text space: to the right, or downwards as negative numbers. */
  const stretch = font.vertical ? 1 : scale;
  const blanks = blanksOf(pen);
  let moved = 0;
  for (const glyph of drawn as (DrawnGlyph | number | null)[]) {
    if (glyph === null) continue;
    if (typeof glyph === 'number') {
      moved -= (glyph / 1000) * size * stretch;
      continue;
    }
    const width = unit * stretch * ((font.vertical && glyph.vmetric?.[0]) || glyph.width);
    if (glyph.unicode === ' ') blanks.add(glyph.width);
    const code = glyph.originalCharCode ?? 0;
    const isCode = font.composite === true && glyph.unicode === String.fromCharCode(code);
    if (glyph.unicode !== '' || pen.actualTexts.isOpen)
      placeGlyph(pen, line, { text: glyph.unicode, from: moved, width, code, isCode });
    moved += width + (spacing + (glyph.isSpace ? wordSpacing : 0)) * stretch;
  }
  state.matrix = font.vertical ? translate(state.matrix, 0, moved) : translate(state.matrix, moved, 0);
}

function blanksOf({ state: { font }, blanks }: Pen): Set<number> {
  const found = blanks.get(font) ?? new Set();
  blanks.set(font, found);
  return found;
}

/**
 * The line that is drawn on: its origin, and the unit vectors along it (ux, uy) and across it (vx, vy). The angle is
 * rounded to a degree, so that words that are each turned a little (in scanned pages) stay on one line.
 */
type Line = Pick<Glyph, 'em' | 'size' | 'direction' | 'isVertical' | 'font' | 'style' | 'spacing'> & {
  x: number;
  y: number;
  ux: number;
  uy: number;
  vx: number;
  vy: number;
  /** Page units of a unit of text space; negative where glyphs follow each other against (ux, uy). */
  ratio: number;
};

function lineOf(state: TextState, font: PdfFont): Line {
  const { size, scale, rise } = state;
  const [a, b, c, d, x, y] = translate(multiply(state.ctm, state.matrix), 0, rise);
  const [horizontal, vertical] = [
    { x: a, y: b },
    { x: c, y: d },
  ] as const;
  const along = font.vertical ? vertical : horizontal;
  const across = font.vertical ? horizontal : vertical;
  // Vertical text runs down, text of a negative size to the left.
  const sign = font.vertical || size * scale < 0 ? -1 : 1;
  const degrees = Math.round((Math.atan2(sign * along.y, sign * along.x) * 180) / Math.PI);
  const [ux, uy] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const isMirrored = (ux * across.y - uy * across.x) * (font.vertical ? 1 : size) < 0;
  const [vx, vy] = isMirrored ? [uy, -ux] : [-uy, ux];
  const ratio = sign * Math.hypot(along.x, along.y);
  const spacing = state.spacing * (font.vertical ? 1 : scale) * ratio;
  const height = Math.abs(size) * Math.hypot(c, d) * glyphHeight(font, Math.abs(size));
  const width = Math.abs(size) * Math.hypot(a, b);
  const em = font.isType3Font ? Math.max(width, height) : width;
  const direction = `${degrees === -180 ? 180 : degrees}${font.vertical ? ' vertical' : ''}`;
  return {
    x,
    y,
    ux,
    uy,
    vx,
    vy,
    ratio,
    em,
    size: height,
    direction,
    isVertical: font.vertical,
    font: state.font,
    style: `${state.font} ${height}`,
    spacing,
  };
}

/** The height of a font's glyphs in ems. In a Type 3 font of size 1 an em may be as small as a dot of the raster. */
function glyphHeight({ isType3Font, fontMatrix, bbox }: PdfFont, size: number): number {
  const height = Math.abs(((bbox?.[3] ?? 0) - (bbox?.[1] ?? 0)) * (fontMatrix?.[3] ?? 0));
  return isType3Font && size <= 1 && height > 0 ? height : 1;
}

/** `from` and `width` in text space. */
type Drawn = { text: string; from: number; width: number; code: number; isCode: boolean };

function placeGlyph(pen: Pen, line: Line, { text, from, width, code, isCode }: Drawn): void {
  const { view, glyphs } = pen;
  const { x, y, ux, uy, vx, vy, ratio, em, size, direction, isVertical, font, style, spacing } = line;
  if (/^\s/.test(text) && !pen.actualTexts.isOpen) {
    pen.isAfterBlank = true;
    return;
  }
  const [before, after] = [from * ratio, (from + width) * ratio];
  if (!isInside(view, x + before * ux, y + before * uy, x + after * ux, y + after * uy)) return;
  const origin = x * ux + y * uy;
  glyphs.push({
    text,
    start: origin + Math.min(before, after),
    end: origin + Math.max(before, after),
    across: x * vx + y * vy,
    em,
    size,
    direction,
    isVertical,
    font,
    style,
    spacing,
    code,
    isCode,
    isAfterBlank: pen.isAfterBlank,
    order: glyphs.length,
  });
  pen.isAfterBlank = false;
}

/** Whether a stretch of a line between two points meets the box. */
function isInside(view: number[], x1: number, y1: number, x2: number, y2: number): boolean {
  const [left = 0, bottom = 0, right = 0, top = 0] = view;
  return (
    Math.max(x1, x2) >= left &&
    Math.min(x1, x2) <= right &&
    Math.max(y1, y2) >= bottom &&
    Math.min(y1, y2) <= top
  );
}
