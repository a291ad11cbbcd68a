/** References to cells (ECMA-376 part 1, 18.18.62): `B7`, `$A$1:$D$12`. Rows and columns count from 0. */

export type Area = { top: number; left: number; bottom: number; right: number };

/** Excel's last column is XFD; references beyond it are invalid. */
export const COLUMNS_MAX = 16_384;
/** Excel's last row. */
export const ROWS_MAX = 1_048_576;

/** The column of a reference: `AB12` → 27. */
export function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return Math.min(column, COLUMNS_MAX) - 1;
}

/** The row of a number as it is written in references, from 1. */
export function rowOf(written: string | undefined): number | undefined {
  const row = Number(written);
  return row >= 1 && row <= ROWS_MAX ? Math.floor(row) - 1 : undefined;
}

const AREA = /^\$?([A-Z]{1,3})?\$?(\d{1,7})?(?::\$?([A-Z]{1,3})?\$?(\d{1,7})?)?$/;

/** An area of a sheet: `A1:B3`, a cell `A1`, whole rows `$1:$2`. Undefined for other texts, and for whole columns. */
export function areaOf(reference: string | undefined): Area | undefined {
  const [, left, top, right = left, bottom = top] = AREA.exec(reference?.trim() ?? '') ?? [];
  const first = rowOf(top);
  const last = rowOf(bottom);
  if (first === undefined || last === undefined) return undefined;
  return {
    top: Math.min(first, last),
    bottom: Math.max(first, last),
    left: columnOf(left) ?? 0,
    right: columnOf(right) ?? COLUMNS_MAX - 1,
  };
}

/** The rows of `Plan!$A:$B,Plan!$1:$2`. */
export function printedRows(reference: string): Area | undefined {
  return reference
    .split(',')
    .map((part) => areaOf(part.slice(part.lastIndexOf('!') + 1)))
    .find((area) => area !== undefined);
}
