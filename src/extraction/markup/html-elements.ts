/** The meaning of each HTML element for a page's text. */

/** Elements whose text is left out: the title, code, graphics, form controls, fallbacks, ruby
 * pronunciation, and the facts of a report that it does not show (Inline XBRL 1.1, 13). */
export const NOT_RENDERED = new Set(
  (
    'script style template noscript svg iframe object embed canvas audio video map select datalist button input ' +
    'textarea progress meter dialog menu rt rp noembed noframes title ix:header'
  ).split(' '),
);

/** ARIA roles that mark boilerplate. */
export const BOILERPLATE_ROLES = new Set(
  'navigation search banner contentinfo menu menubar toolbar dialog alertdialog'.split(' '),
);

/** Boilerplate of a page, but part of the text inside an article or main part. */
export const PAGE_BOILERPLATE = new Set(['header', 'footer', 'aside']);

/** Elements that hold the page's main text. */
export const CONTENT = new Set(['main', 'article', 'section']);

/** Elements that begin and end a paragraph. */
export const PARAGRAPHS = new Set(
  (
    'address article aside blockquote body center dd details dialog div dl fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr legend main nav ol p pre section summary table title ul caption'
  ).split(' '),
);

/** Elements that begin and end a line. */
export const LINES = new Set('li dt tr thead tbody tfoot br'.split(' '));

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
