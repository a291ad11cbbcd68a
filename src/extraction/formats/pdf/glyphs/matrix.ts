/** Transformations of the plane as PDF writes them: [a b c d e f] maps (x, y) to (ax + cy + e, bx + dy + f). */

export type Matrix = readonly [number, number, number, number, number, number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** The transformation that applies `inner` first, then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [ia, ib, ic, id, ie, jf] = inner;
  return [
    a * ia + c * ib,
    b * ia + d * ib,
    a * ic + c * id,
    b * ic + d * id,
    a * ie + c * jf + e,
    b * ie + d * jf + f,
  ];
}

/** `outer` with its origin moved by (x, y) of its own coordinates. */
export function translate(outer: Matrix, x: number, y: number): Matrix {
  const [a, b, c, d, e, f] = outer;
  return [a, b, c, d, a * x + c * y + e, b * x + d * y + f];
}
