/** The text state of a PDF page, as its operators change it (ISO 32000-2, 8.4 and 9.3). */
import { OPS } from 'pdfjs-dist/legacy/build/pdf.min.mjs';
import { IDENTITY, type Matrix, multiply, translate } from './matrix.ts';

/** `matrix` is Tm, `lineMatrix` is Tlm. `scale` is horizontal: 1 is usual. */
export type TextState = {
  ctm: Matrix;
  matrix: Matrix;
  lineMatrix: Matrix;
  font: string;
  size: number;
  spacing: number;
  wordSpacing: number;
  scale: number;
  leading: number;
  rise: number;
};

export const initialState = (): TextState => ({
  ctm: IDENTITY,
  matrix: IDENTITY,
  lineMatrix: IDENTITY,
  font: '',
  size: 0,
  spacing: 0,
  wordSpacing: 0,
  scale: 1,
  leading: 0,
  rise: 0,
});

type Operands = readonly unknown[];

/** The operators that change the state, but do not save, restore or draw. */
export const STATE_CHANGES: ReadonlyMap<number, (state: TextState, operands: Operands) => void> = new Map([
  [OPS.transform, (state, operands) => transform(state, matrixOf(operands))],
  [OPS.paintFormXObjectBegin, (state, [matrix]) => transform(state, matrixOf(matrix))],
  [OPS.beginText, (state) => setLine(state, IDENTITY)],
  [OPS.setTextMatrix, (state, [matrix]) => setLine(state, matrixOf(matrix))],
  [OPS.moveText, (state, [x, y]) => moveLine(state, numberOf(x), numberOf(y))],
  [
    OPS.setLeadingMoveText,
    (state, [x, y]) => {
      state.leading = -numberOf(y);
      moveLine(state, numberOf(x), numberOf(y));
    },
  ],
  [OPS.nextLine, (state) => moveLine(state, 0, -state.leading)],
  [OPS.setFont, (state, [font, size]) => setFont(state, font, size)],
  [OPS.setGState, (state, [parameters]) => setGraphicsState(state, parameters)],
  [OPS.setCharSpacing, (state, [spacing]) => Object.assign(state, { spacing: numberOf(spacing) })],
  [OPS.setWordSpacing, (state, [spacing]) => Object.assign(state, { wordSpacing: numberOf(spacing) })],
  [OPS.setHScale, (state, [percent]) => Object.assign(state, { scale: numberOf(percent) / 100 })],
  [OPS.setLeading, (state, [leading]) => Object.assign(state, { leading: numberOf(leading) })],
  [OPS.setTextRise, (state, [rise]) => Object.assign(state, { rise: numberOf(rise) })],
]);

function transform(state: TextState, matrix: Matrix): void {
  state.ctm = multiply(state.ctm, matrix);
}

function setLine(state: TextState, matrix: Matrix): void {
  state.lineMatrix = matrix;
  state.matrix = matrix;
}

function moveLine(state: TextState, x: number, y: number): void {
  setLine(state, translate(state.lineMatrix, x, y));
}

function setFont(state: TextState, font: unknown, size: unknown): void {
  state.font = String(font);
  state.size = numberOf(size);
}

/** A graphics state is a list of pairs; it may set the font (table 57). */
function setGraphicsState(state: TextState, parameters: unknown): void {
  const pairs: unknown[][] = Array.isArray(parameters) ? parameters : [];
  for (const [key, value] of pairs)
    if (key === 'Font' && Array.isArray(value)) setFont(state, value[0], value[1]);
}

const numberOf = (value: unknown): number => (Number.isFinite(value) ? Number(value) : 0);

/** Six numbers in an array of any type; the identity for anything else. */
function matrixOf(value: unknown): Matrix {
  if (!Array.isArray(value) && !(value instanceof Float32Array)) return IDENTITY;
  const [a, b, c, d, e, f] = [...value].map(numberOf);
  if (a === undefined || b === undefined || c === undefined) return IDENTITY;
  return d === undefined || e === undefined || f === undefined ? IDENTITY : [a, b, c, d, e, f];
}
