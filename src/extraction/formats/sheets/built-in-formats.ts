/** The number formats that files name by a number and do not spell out (ECMA-376 part 1, 18.8.30). */

/**
 * Each program shows dates of these formats in the order of its own country. This order is unambiguous everywhere, and
 * has the year in full.
 */
const DATE = 'yyyy-mm-dd';
/** East Asian countries disagree on whether these formats are dates or times of day. */
const DATE_OR_TIME = `[<1]h:mm:ss;${DATE}`;

const EAST_ASIAN_DATES = [27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58];
const EAST_ASIAN_DATES_OR_TIMES = [34, 35, 55, 56];

/** Format codes by number. The standard's years of two digits (15, 17) are written in full. */
export const BUILT_IN_FORMATS: ReadonlyMap<number, string> = new Map([
  [0, 'General'],
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [5, '"$"#,##0;("$"#,##0)'],
  [6, '"$"#,##0;("$"#,##0)'],
  [7, '"$"#,##0.00;("$"#,##0.00)'],
  [8, '"$"#,##0.00;("$"#,##0.00)'],
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [14, DATE],
  [15, 'd-mmm-yyyy'],
  [16, 'd-mmm'],
  [17, 'mmm-yyyy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, `${DATE} h:mm`],
  [32, 'h:mm'],
  [33, 'h:mm:ss'],
  [37, '#,##0;(#,##0)'],
  [38, '#,##0;(#,##0)'],
  [39, '#,##0.00;(#,##0.00)'],
  [40, '#,##0.00;(#,##0.00)'],
  [41, '#,##0;(#,##0);"-"'],
  [42, '"$"#,##0;("$"#,##0);"$-"'],
  [43, '#,##0.00;(#,##0.00);"-"'],
  [44, '"$"#,##0.00;("$"#,##0.00);"$-"'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mm:ss.0'],
  [48, '##0.0E+0'],
  [49, '@'],
  ...EAST_ASIAN_DATES.map((id): [number, string] => [id, DATE]),
  ...EAST_ASIAN_DATES_OR_TIMES.map((id): [number, string] => [id, DATE_OR_TIME]),
]);

/** How files spell out built-in formats, although programs do not show them so. */
const SPELLED_OUT: ReadonlyMap<string, number> = new Map([
  ['m/d/yy', 14],
  ['mm-dd-yy', 14],
  ['d-mmm-yy', 15],
  ['mmm-yy', 17],
  ['m/d/yy h:mm', 22],
]);

/** The code of a format, by its number and the code that the file has for it. Unknown formats are the general one. */
export function formatCode(id: number, written?: string): string {
  return (
    (written === undefined || id === spelledOut(written) ? BUILT_IN_FORMATS.get(id) : written) ?? 'General'
  );
}

/** The number of the built-in format that a code spells out. */
export const spelledOut = (code: string): number | undefined => SPELLED_OUT.get(code.toLowerCase());
