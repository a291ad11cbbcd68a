/**
 * Identifiers in all notations → their common form, without separators: `978-3-16-148410-0`, `1 (800) 555-0134`,
 * `00:1A:2B:3C:4D:5E`, `DE89 3704 0044 0532 0130 00`, `0x80070005`.
 */
import { unifyLetters } from '../normalise.ts';
import { COMMON_FORM } from './marks.ts';
import { isGrouped } from './numbers.ts';

/** Letters and digits of the shortest identifier that is found without its separators: a local phone number. */
const LENGTH_MIN = 7;
/** Those of the longest one: an IBAN has 34, a UUID 32. */
const LENGTH_MAX = 40;
/** One with more digits than this share is no address of a page, and no name. */
const DIGITS_SHARE = 1 / 3;

const NOT_ALPHANUMERIC = /[^\p{L}\p{N}]+/gu;
const DIGIT = /\p{Nd}/u;
const BETWEEN_DIGITS = /\d[^\p{L}\p{N}]\d/u;
const YEARS = /^(?:1[5-9]|20)\d\d[-/](?:1[5-9]|20)\d\d$/;
const DECIMAL = /^\d+[.,]\d+$/;
/** `tel:` and `ISBN:` are no part of what follows. */
const LABEL = /^\p{L}+[:=]\/*/u;
const HEXADECIMAL = /^0x([\da-f]+)$/i;

/** Letters and digits → the common form, if they may be an identifier's. */
function commonForm(characters: string): string | undefined {
  const { length } = characters;
  const digits = characters.replace(/\D/g, '').length;
  if (length < LENGTH_MIN || length > LENGTH_MAX || digits < DIGITS_SHARE * length) return undefined;
  return COMMON_FORM + characters.toLowerCase();
}

/** A compound, as a text writes it or as its token → the common form of the identifier; undefined for another one. */
export function identifierOf(compound: string): string | undefined {
  if (compound.length < LENGTH_MIN || compound.length > 2 * LENGTH_MAX || !DIGIT.test(compound))
    return undefined;
  const unified = unifyLetters(compound).replace(LABEL, '');
  const hexadecimal = HEXADECIMAL.exec(unified)?.[1];
  if (hexadecimal !== undefined) return commonForm(hexadecimal);
  const isNumber = DECIMAL.test(unified) || isGrouped(unified) || YEARS.test(unified);
  if (isNumber || !BETWEEN_DIGITS.test(unified)) return undefined;
  return commonForm(unified.replace(NOT_ALPHANUMERIC, ''));
}

/** Digits and capitals with blanks, hyphens and brackets between them. */
const GROUP = '[\\p{Lu}\\d]{1,12}';
const RUN = new RegExp(`^${GROUP}(?:(?:\\) ?|[ /.-]\\(?| \\()${GROUP}){1,9}(?![\\p{L}\\d]| \\d)`, 'u');
/** The zero of a phone number that is left out abroad: `+49 (0)30`. */
const TRUNK_ZERO = /^(\d{1,3}) ?\(0\) ?/;
const GAP = /[ ()]/;
/** Groups hold digits; those inside of an IBAN may be four letters. */
const isGroupOfRun = (group: string, index: number, { length }: { length: number }): boolean =>
  /\d/.test(group) || (group.length === 4 && index > 0 && index < length - 1);

/** The identifier with blanks between its groups with which `text` begins: `DE89 3704 …` → `=de893704…`. */
export function identifierAt(text: string): { token: string; length: number } | undefined {
  const abroad = text.replace(TRUNK_ZERO, '$1 ');
  const [found = ''] = RUN.exec(abroad) ?? [];
  if (!GAP.test(found)) return undefined;
  if (!found.split(NOT_ALPHANUMERIC).every(isGroupOfRun)) return undefined;
  const token = commonForm(found.replace(NOT_ALPHANUMERIC, ''));
  return token === undefined ? undefined : { token, length: found.length + text.length - abroad.length };
}

const WITHOUT_SEPARATORS = /^[\p{L}\d]+$/u;

/** The common form that an identifier without separators has where a text writes separators. */
export function otherIdentifiers(token: string): string[] {
  const unified = unifyLetters(token);
  const form = WITHOUT_SEPARATORS.test(unified) ? commonForm(unified) : undefined;
  return form === undefined ? [] : [form];
}
