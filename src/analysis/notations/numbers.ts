/**
 * Numbers in all notations: `1800`, `1.800`, `1,800`, `1'800`, `1 800`; `1,00,000` in India; `1.5` and `1,5`.
 *
 * A separator before exactly three digits groups them: `1.800` is 1800, as in half of the world, and never finds `1.8`.
 * Where it was meant as a decimal point, the text has the same characters as the query, which finds it as written. Any
 * other number of digits after a point or comma is a fraction; zeros at its end mean nothing.
 */
import { unifyLetters } from '../normalise.ts';
import { COMMON_FORM } from './marks.ts';

/** Groups of three, or groups as in India: two each and three at the end. */
const GROUPED = new RegExp(
  String.raw`^(?<groups>[1-9]\d{0,2}(?:(?<separator>[.,' ])\d{3}(?:\k<separator>\d{3})*)` +
    String.raw`|[1-9]\d?(?:,\d\d)+,\d{3})(?<rest>[.,]\d+)?$`,
);
const PLAIN = /^(?<digits>0|[1-9]\d*)(?:[.,](?<fraction>\d+))?$/;
/** Digits of the longest number that is looked for in other notations. */
const DIGITS_MAX = 18;

/** `=1 800` → `1 800`. Other marked tokens are no numbers. */
const withoutMark = (token: string): string =>
  token.startsWith(COMMON_FORM) && token.includes(' ') ? token.slice(COMMON_FORM.length) : token;

/** A number: its digits without separators, and those after the point. */
type Decimal = { digits: string; fraction: string | undefined };

function readGroups(token: string): Decimal | undefined {
  const { groups, separator = ',', rest } = GROUPED.exec(withoutMark(token))?.groups ?? {};
  if (groups === undefined || rest?.startsWith(separator)) return undefined; // 1.800.5 is a version
  return { digits: groups.replace(/\D/g, ''), fraction: rest?.slice(1) };
}

function readNumber(token: string): Decimal | undefined {
  const { digits, fraction } = PLAIN.exec(token)?.groups ?? {};
  return readGroups(token) ?? (digits === undefined ? undefined : { digits, fraction });
}

const groupBy = (digits: string, separator: string): string =>
  digits.replace(/\B(?=(?:\d{3})+$)/g, separator);

const groupAsInIndia = (digits: string): string => digits.replace(/\B(?=(?:\d\d)*\d{3}$)/g, ',');

/** Fractions of the same value: `5` and `50`; none and `00`, as prices have them. */
function sameFractions(fraction: string | undefined): (string | undefined)[] {
  const least = fraction?.replace(/0+$/, '') ?? '';
  return [fraction, ...new Set([least || undefined, least.padEnd(2, '0')])];
}

/** All tokens that stand for a number. */
const notationsOf = ({ digits, fraction }: Decimal): string[] =>
  sameFractions(fraction).flatMap((same) => separatorsOf({ digits, fraction: same }));

/** All tokens for these digits: `=1 800` comes from `groupsAt`. */
function separatorsOf({ digits, fraction }: Decimal): string[] {
  const [point, comma] = fraction === undefined ? ['', ''] : [`.${fraction}`, `,${fraction}`];
  const plain = [digits + point, digits + comma];
  if (digits.length < 4) return plain;
  return [
    ...plain,
    groupBy(digits, '.') + comma,
    groupBy(digits, ',') + point,
    groupBy(digits, "'") + point,
    COMMON_FORM + groupBy(digits, ' ') + point,
    ...(digits.length > 5 ? [groupAsInIndia(digits) + point] : []),
  ];
}

/** The other tokens that stand for the number of this one: none for a word or a version. */
export function otherNumbers(token: string): string[] {
  const unified = unifyLetters(token);
  const number = token.length > 2 * DIGITS_MAX ? undefined : readNumber(unified);
  if (number === undefined || number.digits.length > DIGITS_MAX) return [];
  return [...new Set(notationsOf(number))].filter((notation) => notation !== token);
}

/** Whether a token is a number whose groups have separators: its parts mean nothing. */
export const isGrouped = (token: string): boolean => readGroups(unifyLetters(token)) !== undefined;

const GROUPS_WITH_BLANKS = /^([1-9]\d{0,2}(?: \d{3})+)(?:[.,](\d{1,9}))?(?![\p{L}\d]| \d|[-./,]\d)/u;

/** The number with blanks between its groups with which `text` begins: `1 800,5` → `=1 800.5`. */
export function groupsAt(text: string): { token: string; length: number } | undefined {
  const [found = '', groups = '', fraction] = GROUPS_WITH_BLANKS.exec(text) ?? [];
  if (found === '') return undefined;
  const token = COMMON_FORM + groups + (fraction === undefined ? '' : `.${fraction}`);
  return { token, length: found.length };
}
