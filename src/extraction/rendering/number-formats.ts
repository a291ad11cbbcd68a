/** Numbers of lists as letters and as Roman numerals. */

/** Longer labels than this are written as decimal numbers. */
const LABEL_MAX_LENGTH = 12;

/** 1 → `a`, 26 → `z`, 27 → `aa`. 28 is `bb` where letters are repeated, otherwise `ab`. */
export function letterNumber(number: number, { isRepeated }: { isRepeated: boolean }): string {
  if (number < 1) return String(number);
  if (isRepeated) {
    const length = Math.ceil(number / 26);
    return length > LABEL_MAX_LENGTH ? String(number) : letter((number - 1) % 26).repeat(length);
  }
  let written = '';
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26))
    written = letter((left - 1) % 26) + written;
  return written;
}

const letter = (index: number): string => String.fromCharCode(0x61 + index);

const ROMAN: [value: number, numeral: string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

/** 4 → `iv`. Numbers that have no Roman numeral are written as decimal ones. */
export function romanNumber(number: number): string {
  if (number < 1 || number >= 4000) return String(number);
  let left = number;
  let written = '';
  for (const [value, numeral] of ROMAN) {
    for (; left >= value; left -= value) written += numeral;
  }
  return written;
}
