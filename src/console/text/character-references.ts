/**
 * Named character references of Markdown. The page is built with this in place of the package of the same purpose,
 * which lets the browser parse them as HTML: the page's Content-Security-Policy forbids that.
 */

const CHARACTERS: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  laquo: '«',
  raquo: '»',
  euro: '€',
};

/** 'amp' → '&'; others stay as they are written. */
export const decodeNamedCharacterReference = (name: string): string | false =>
  Object.hasOwn(CHARACTERS, name) ? (CHARACTERS[name] ?? false) : false;
