/** The meaning of each HTML element for a page's text. */
import type { Attributes } from './markup-tokens.ts';

/**
 * Elements whose text is left out: the title, code, form controls, fallbacks, ruby pronunciation, the descriptions and
 * definitions of a drawing, and the facts of a report that it does not show (Inline XBRL 1.1, 13).
 */
export const NOT_RENDERED = new Set(
  (
    'script style template noscript iframe object embed canvas audio video map select datalist button input ' +
    'textarea progress meter dialog rt rp noembed noframes title desc defs symbol metadata ix:header'
  ).split(' '),
);

/** Elements that hold the page's main text. */
export const CONTENT = new Set(['main', 'article', 'section']);

/** Elements that begin and end a paragraph. */
export const PARAGRAPHS = new Set(
  (
    'address article aside blockquote body center details dialog div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr legend main nav ol p pre section summary table title ul caption'
  ).split(' '),
);

/** Elements that begin and end a line. `text` belongs to a drawing. */
export const LINES = new Set('li dd tr thead tbody tfoot br text'.split(' '));

/** Elements without an end tag (HTML standard, 13.1.2). */
export const VOID = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);

export const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Elements that only a table contains. */
export const TABLE_PARTS = new Set(['caption', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th']);

const PARAGRAPH = ['p'];
const HEADING = ['p', ...HEADINGS];
const IMPLIED_ENDS = new Map<string, string[]>([
  ['li', ['li', 'p']],
  ['dt', ['dt', 'dd', 'p']],
  ['dd', ['dt', 'dd', 'p']],
  ['option', ['option']],
  ['a', ['a']],
]);

/** The open elements that a start tag ends when they are innermost (HTML standard, 13.1.2.4 and 13.2.6.4.7). */
export function impliedEnds(name: string): string[] {
  if (HEADINGS.has(name)) return HEADING;
  return IMPLIED_ENDS.get(name) ?? (PARAGRAPHS.has(name) ? PARAGRAPH : []);
}

const HIDING_STYLE = /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

/** Whether an element's attributes hide it from the reader. */
export function isHidden(attributes: Attributes): boolean {
  if (attributes.size === 0) return false;
  const isFound = attributes.get('hidden')?.toLowerCase() === 'until-found';
  return (
    (attributes.has('hidden') && !isFound) ||
    attributes.get('aria-hidden') === 'true' ||
    HIDING_STYLE.test(attributes.get('style') ?? '')
  );
}
