/** The widths of Latin letters, by which a font shows whether its glyphs are the letters that it says. */

/** Letters A to Z, then a to z, in thousandths of an em: Helvetica (Adobe, Core 14 AFM files). */
const HELVETICA = [
  ...[667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833],
  ...[722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611],
  ...[556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833],
  ...[556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500],
];

/** The number of a letter in that list; undefined for what is no letter from A to Z. */
export function letterNumber(text: string): number | undefined {
  const code = text.length === 1 ? text.charCodeAt(0) : 0;
  if (code >= 65 && code <= 90) return code - 65;
  return code >= 97 && code <= 122 ? code - 71 : undefined;
}

/** Fewer letters, or letters of nearly one width (in ems), show nothing. */
const LETTERS_MIN = 8;
const DEVIATION_MIN = 0.04;
/** Of 1,300 fonts of public files, those with a right map have a correlation of 0.56 to 1, most above 0.85. */
const CORRELATION_MIN = 0.4;

/** Whether wide letters are narrow and narrow ones wide: the glyphs are others. `widths`: in ems, by letter number. */
export function contradictsLetters(widths: ReadonlyMap<number, number>): boolean {
  if (widths.size < LETTERS_MIN) return false;
  const own = [...widths.values()];
  const usual = [...widths.keys()].map((letter) => HELVETICA[letter] ?? 0);
  const deviation = Math.sqrt(covariance(own, own));
  if (deviation < DEVIATION_MIN) return false;
  const correlation = covariance(own, usual) / (deviation * Math.sqrt(covariance(usual, usual)));
  return correlation < CORRELATION_MIN;
}

/** Of two lists of the same length. */
function covariance(a: number[], b: number[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  return mean(a.map((value, i) => (value - meanA) * ((b[i] ?? 0) - meanB)));
}
