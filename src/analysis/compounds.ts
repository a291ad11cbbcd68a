/** Splits identifiers, versions, addresses and hyphenated words: searches find them as a whole and by their parts. */

/** Punctuation between the segments of a path, address or expression; each segment is a compound of its own. */
const SEGMENT_SEPARATORS = /[/@:=&?#%~\\]+/u;
/** All other punctuation between words, mostly dots and hyphens. */
const PART_SEPARATORS = /[^\p{L}\p{M}\p{N}]+/u;
/**
 * `getUserById`, `HTTPServer`: a part begins at an upper-case letter that follows a lower-case one or begins a word.
 */
const CASE_CHANGE = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** `100mg`, `19th`: splits a leading number from its letters. */
const NUMBER_UNIT = /(?=\p{L})(?<=^\p{N}+)/u; // letter first: a look back from each digit is quadratic
/**
 * `FY2018`, `COVID19`: splits two letters or more from two digits or more. It leaves `CD8` and `p53` whole: a single
 * character alone finds too much.
 */
const LETTERS_NUMBER = /(?<=\p{L}{2})(?=\p{N}{2})/u;
const NUMBER = /\p{N}/u;
/** `1,000`: thousands separators, not a list. Such a number has no parts. */
const GROUPED_NUMBER = /^\p{N}{1,3}(?:,\p{N}{3})+$/u;
/** `12,345.67` is 12345.67. */
const GROUPED_FRACTION = /^\p{N}{1,3}(?:,\p{N}{3})+\.\p{N}+$/u;
/** `5th`, `1er`, `7de`: the digit is a part; the letters are none. */
const ORDINAL = /^(\p{N})(?:st|nd|rd|th|er|re|ère|ème|eme|de|ste)$/u;
/** `v2.1.0` is version 2.1.0. */
const VERSION_PREFIX = /^v(?=\p{N}+\.)/iu;
const ACRONYM = /^\p{L}(?:\.\p{L})+$/u;

/** English contractions and possessives: `Tesla's` is Tesla, `isn't` is is. */
const CONTRACTION = /(?:n't|'(?:s|d|m|ll|re|ve))$/iu;
/** Articles and pronouns that French, Italian and Catalan elide: `l'été` is été, `dell'arte` is arte. */
const ELISION =
  /^(?:[cdjlmnst]|(?:jus|lors|puis|quel|quoi)?qu|un|quest|sant|(?:a|da|de|ne|su|co|que|be)ll|gl)'(?=\p{L})/iu;

/** Longer compounds are indexed by their parts only: queries rarely have them as a whole. */
const WHOLE_MAX_LENGTH = 200;

/**
 * A compound → its distinct tokens in lower case: the whole, then the segments of an address or path, then the parts.
 * The whole has no punctuation between its parts, except between digits, where it distinguishes `1.10` from `11.0`.
 *
 *   e-mail         email, e, mail
 *   Node.js        nodejs, node, js
 *   max_wal_size   maxwalsize, max, wal, size
 */
export function compoundTokens(raw: string): string[] {
  const segments = raw.split(SEGMENT_SEPARATORS).filter((segment) => segment !== '');
  const tokens = new Set<string>();
  if (segments.length > 1) addWhole(tokens, raw);
  for (const segment of segments.length > 1 ? segments : [raw]) addSegment(tokens, segment);
  tokens.delete(''); // the rest of a contraction without a word
  return [...tokens];
}

/** The compounds of letters among the tokens of a text, with their parts: `compoundTokens` has these after it. */
export function compoundsAmong(tokens: string[]): ReadonlyMap<string, string[]> {
  const compounds = new Map<string, string[]>();
  for (const [at, token] of tokens.entries()) {
    let length = 0;
    let next = at + 1;
    for (let part = tokens[next]; part && token.startsWith(part, length); part = tokens[++next])
      length += part.length;
    const isWhole = length === token.length && next - at > 2;
    if (isWhole && !NUMBER.test(token)) compounds.set(token, tokens.slice(at + 1, next));
  }
  return compounds;
}

function addSegment(tokens: Set<string>, segment: string): void {
  const word = withoutGrouping(withoutApostrophes(segment)).replace(VERSION_PREFIX, '');
  const ordinal = ORDINAL.exec(word)?.[1];
  const parts = ordinal === undefined ? partsOf(word) : [ordinal];
  addWhole(tokens, word);
  if (ACRONYM.test(word) || GROUPED_NUMBER.test(word)) return;
  for (const part of parts) tokens.add(part.toLowerCase());
}

function addWhole(tokens: Set<string>, compound: string): void {
  if (compound.length > WHOLE_MAX_LENGTH) return;
  tokens.add(compound.replace(DROPPED_PUNCTUATION, '').toLowerCase());
}

/**
 * Punctuation that a whole loses. It keeps a single character between digits, the leading dot of `.NET`, and the
 * trailing characters of `C++` and `C#`.
 */
const DROPPED_PUNCTUATION =
  /(?<=[\p{L}\p{M}\p{N}])(?!(?<=\p{N})[^\p{L}\p{M}\p{N}]\p{N})[^\p{L}\p{M}\p{N}]+(?=[\p{L}\p{M}\p{N}])/gu;

function withoutApostrophes(segment: string): string {
  return segment.includes("'") ? segment.replace(CONTRACTION, '').replace(ELISION, '') : segment;
}

function withoutGrouping(segment: string): string {
  return GROUPED_FRACTION.test(segment) ? segment.replaceAll(',', '') : segment;
}

function splitInside(word: string): string[] {
  if (word.length === 1) return [word];
  const pieces = word.split(CASE_CHANGE);
  if (!NUMBER.test(word)) return pieces;
  return pieces.flatMap((piece) => piece.split(LETTERS_NUMBER)).flatMap((piece) => piece.split(NUMBER_UNIT));
}

/** The words of a compound, without single letters next to an apostrophe or a case change: alone they find too much. */
function partsOf(word: string): string[] {
  const words = word.split(PART_SEPARATORS).filter((part) => part !== '');
  const parts = words.flatMap(splitInside);
  if (parts.length === 1) return parts;
  const atPunctuationOnly = parts.length === words.length && !word.includes("'");
  return atPunctuationOnly ? parts : parts.filter((part) => part.length > 1 || words.includes(part));
}
