/** Whether two words are forms of one. The service stems words in PostgreSQL instead. */

/** Shorter words are like too many others. */
export const FORM_MIN_LENGTH = 4;
/** The letters that an ending has at most. */
const ENDING_MAX = 3;
/** The letters that two forms have in common at least, where neither is the beginning of the other. */
const STEM_MIN = 5;

/** Whether two words differ in their endings only: policy and policies, not state and station. */
export function areForms(left: string, right: string): boolean {
  if (left.slice(0, FORM_MIN_LENGTH) !== right.slice(0, FORM_MIN_LENGTH)) return false;
  let common = 0;
  while (common < left.length && left[common] === right[common]) common++;
  const [shorter, longer] = left.length < right.length ? [left, right] : [right, left];
  if (longer.length - common > ENDING_MAX) return false;
  return common >= STEM_MIN || (common >= FORM_MIN_LENGTH && common === shorter.length);
}
