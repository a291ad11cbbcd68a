/**
 * A score, or a part of one, as people read it: three decimals, and two digits where these would show less. 0.79321 →
 * `0.793`; 0.000432 → `0.00043`.
 */
export const formatScore = (score: number): string =>
  Math.abs(score) >= 0.01 ? score.toFixed(3) : String(Number(score.toPrecision(2)));
