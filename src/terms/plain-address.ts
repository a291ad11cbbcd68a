/** Refuses addresses that do not lead where they seem to: people read them in lists, and as links of search results. */
import { validationFailed } from './errors.ts';

/**
 * - White space and controls, which `new URL` removes: `https://example.com/\r\nX: y`
 * - Backslashes, which it takes for slashes: `https://example.com\@127.0.0.1/`
 * - Marks of the direction of writing, which change the order that is shown (Unicode TR36, 2.3): U+202E before
 *   `gpj.exe`
 */
const UNCLEAR = /[\s\\\p{Cc}\p{Bidi_Control}]/u;

/** @throws INPUT_VALIDATION_FAILED naming `field` */
export function requirePlainAddress(field: 'url' | 'sourceUrl', address: string | undefined): void {
  if (address === undefined || !UNCLEAR.test(address)) return;
  const problem =
    'must have no white space, control characters, backslashes and marks of the direction of writing';
  throw validationFailed([], { [field]: [problem] });
}
