/**
 * Dates in all notations → their common forms: `5.3.2024`, `March 5th, 2024` and `2024年3月5日` → `=2024-03-05`.
 *
 * The notation says which number is the day: a name is the month, dots have the day first, a year at the beginning has
 * the month next, and no month is above 12. `05/03/2024` and `05-03-2024` do not say it: most countries write the day
 * first, the largest one the month. Such a text has the form `=2024-03/05`, which both dates find, after texts that say
 * which one they mean.
 */
import { COMMON_FORM, HINT } from './marks.ts';
import { monthOf } from './month-names.ts';

/** The part of a text that is a date. `length`: in UTF-16 units, without a month before the day. */
export type FoundDate = { tokens: string[]; length: number; isAfterMonth?: boolean };

const END = '(?!\\d|[-./]\\d)';
const YEAR_FIRST = new RegExp(`^(\\d{4})([-./]|\\. )(\\d{1,2})\\2(\\d{1,2})${END}`);
const YEAR_LAST = new RegExp(`^(\\d{1,2})([-./]|\\. )(\\d{1,2})\\2(\\d{4})${END}`);
const SHORT_YEAR = new RegExp(`^(\\d{1,2})([./])(\\d{1,2})\\2(\\d{2})${END}`);
/** Chinese, Japanese, Korean. */
const WITH_UNITS = /^(?:(\d{4}) ?[年년] ?)?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日號号일]/u;
/** Vietnamese months have numbers. */
const VIETNAMESE = /^(\d{1,2}) th[áa]ng (\d{1,2})(?!\d)(?:(?:,| năm| nam)? (\d{4})(?!\d))?/iu;
/** `th` of `5th`, and its like in other languages. */
const ORDINAL = '(?:-?[\\p{L}]{1,3}|\\.[oa])?(?![\\p{L}\\p{N}])';
/** `of`, `de`, `d'`: words between the parts of a date. */
const OF = "(?:(?:of|of the|de|del|di|den|d')(?: |(?<=')))?";
const GAP = '[-.,/ ]{0,3}';
const NAME = '(?<name>[\\p{L}\\p{M}]{3,20})';
/** Node 22 allows no name of a group twice: the year has another one where it is short. */
const DAY_FIRST = new RegExp(
  `^(?<day>\\d{1,2})${ORDINAL}${GAP}${OF}${NAME}(?:${GAP}${OF}(?<year>\\d{4})(?!\\d)|[-/](?` +
    `<shortYear>\\d{2})(?![\\p{L}\\p{N}]))?`,
  'iu',
);
const MONTH_FIRST = new RegExp(
  `^(?<day>\\d{1,2})${ORDINAL}(?:[-.,/ ]{1,3}${OF}(?<year>\\d{4})(?!\\d))?`,
  'iu',
);
/** Hungarian, Lithuanian, Basque: `2024. március 5.`, `2024 m. kovo 5 d.`, `2024ko martxoaren 5a`. */
const NAMED_YEAR_FIRST = new RegExp(
  `^(?<year>\\d{4})(?: m\\.|\\.|-?e?ko|\\(e\\)ko)?,? ${NAME}\\.? (?<day>\\d{1,2})(?!\\d)`,
  'iu',
);

/** Thai texts count years from 543 years before. */
const BUDDHIST_FROM = 2400;
const BUDDHIST_ERA = 543;
const YEAR_MAX = 2199;
/** POSIX: `69` is 1969, `68` is 2068. */
const CENTURY_PIVOT = 69;

const twoDigits = (number: number): string => String(number).padStart(2, '0');
const dayOfYear = (month: number, day: number): string => `${twoDigits(month)}-${twoDigits(day)}`;

const isDay = (day: number): boolean => day >= 1 && day <= 31;
const isMonth = (month: number): boolean => month >= 1 && month <= 12;

/** The year of two or four digits; undefined for a number that is none. */
function yearOf(digits: string): number | undefined {
  const year = Number(digits);
  if (digits.length === 2) return year < CENTURY_PIVOT ? 2000 + year : 1900 + year;
  const common = year >= BUDDHIST_FROM ? year - BUDDHIST_ERA : year;
  return common >= 1000 && common <= YEAR_MAX ? common : undefined;
}

/** The tokens of a date. Without a year: the token of the day in any year. */
function tokensOf(month: number, day: number, year: number | '' | undefined): string[] {
  if (!isMonth(month) || !isDay(day)) return [];
  const hint = HINT + dayOfYear(month, day);
  return !year ? [hint] : [`${COMMON_FORM}${year}-${dayOfYear(month, day)}`, hint];
}

const eitherWay = (year: number, numbers: number[]): string =>
  `${COMMON_FORM}${year}-${numbers
    .toSorted((left, right) => left - right)
    .map(twoDigits)
    .join('/')}`;

/** The tokens of a date that ends with its year. Dots have the day first. */
function tokensByOrder(first: number, separator: string, second: number, year: number | undefined): string[] {
  if (year === undefined) return [];
  if (separator.startsWith('.') || first > 12 || first === second) return tokensOf(second, first, year);
  if (second > 12) return tokensOf(first, second, year);
  return isDay(first) && isDay(second) ? [eitherWay(year, [first, second])] : [];
}

const found = (tokens: string[], { 0: text }: RegExpExecArray): FoundDate | undefined =>
  tokens.length > 0 ? { tokens, length: text.length } : undefined;

/** `1.2.24` is as often a version or a section, but `01.02.24` and `1/2/24` are dates. */
const hasShortYear = (first: string, separator: string, second: string): boolean =>
  separator === '/' || (first.length === 2 && second.length === 2);

/** The date of digits and separators with which `text` begins. */
function numericDate(text: string): FoundDate | undefined {
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst) {
    const [, year = '', , month, day] = yearFirst;
    return found(tokensOf(Number(month), Number(day), yearOf(year)), yearFirst);
  }
  const yearLast = YEAR_LAST.exec(text) ?? SHORT_YEAR.exec(text);
  if (!yearLast) return undefined;
  const [, first = '', separator = '', second = '', year = ''] = yearLast;
  if (year.length === 2 && !hasShortYear(first, separator, second)) return undefined;
  return found(tokensByOrder(Number(first), separator, Number(second), yearOf(year)), yearLast);
}

/** `3月5日`, `5 tháng 3`: the month has a sign or a word. */
function dateWithUnits(text: string): FoundDate | undefined {
  const withUnits = WITH_UNITS.exec(text);
  if (withUnits) {
    const [, year, month, day] = withUnits;
    return found(tokensOf(Number(month), Number(day), year && yearOf(year)), withUnits);
  }
  const vietnamese = VIETNAMESE.exec(text);
  if (!vietnamese) return undefined;
  const [, day, month, year] = vietnamese;
  return found(tokensOf(Number(month), Number(day), year && yearOf(year)), vietnamese);
}

/** The date with which `text` begins, with a month by name after the day or the year. */
function namedDate(text: string, pattern: RegExp): FoundDate | undefined {
  const named = pattern.exec(text);
  if (!named?.groups) return undefined;
  const { day, name = '', shortYear, year = shortYear } = named.groups;
  const month = monthOf(name.toLowerCase());
  return month === undefined ? undefined : found(tokensOf(month, Number(day), year && yearOf(year)), named);
}

/** The date that begins at the number with which `text` begins, after the word `before`: `March`, `5, 2024`. */
function dateAfterMonth(text: string, before: string): FoundDate | undefined {
  const month = monthOf(before.toLowerCase());
  const date = month === undefined ? undefined : MONTH_FIRST.exec(text);
  if (month === undefined || !date?.groups) return undefined;
  const { day, year } = date.groups;
  const after = found(tokensOf(month, Number(day), year && yearOf(year)), date);
  return after && { ...after, isAfterMonth: true };
}

const SEPARATOR = /[-./]/;
/** What follows a number in dates with units: 年, 月, 년, 월, ` tháng`. */
const UNIT = /^ ?[年월月년t]/iu;

/**
 * The date at the beginning of `text`, whose first character is a digit; digits must be ASCII. `before`: the word in
 * front of it, if nothing but a blank or a dot stands between. Takes a bounded time, since all patterns are bounded.
 * Looks at the next characters before it tries a pattern: nearly all numbers are in no date.
 */
export function dateAt(text: string, before: string | undefined): FoundDate | undefined {
  const digits = /^\d{1,5}/.exec(text)?.[0].length ?? 5;
  if (digits === 3 || digits === 5) return undefined;
  const numeric = SEPARATOR.test(text.charAt(digits)) ? numericDate(text) : undefined;
  if (numeric) return numeric;
  const withUnits = UNIT.test(text.slice(digits, digits + 2)) ? dateWithUnits(text) : undefined;
  if (withUnits) return withUnits;
  if (digits === 4) return namedDate(text, NAMED_YEAR_FIRST);
  return namedDate(text, DAY_FIRST) ?? (before === undefined ? undefined : dateAfterMonth(text, before));
}

const EITHER_WAY = /^=(\d+)-(\d\d)\/(\d\d)$/;
const EXACT = /^=(\d+)-(\d\d)-(\d\d)$/;

/** The further tokens by which a token of `dateAt` finds dates: those that may mean the same one. */
export function otherDates(token: string): string[] {
  const [, year, low = '', high = ''] = EITHER_WAY.exec(token) ?? [];
  if (year !== undefined) return [`=${year}-${low}-${high}`, `=${year}-${high}-${low}`];
  const exact = EXACT.exec(token);
  if (!exact) return [];
  const compact = exact.slice(1).join('');
  if (Number(exact[3]) > 12 || exact[2] === exact[3]) return [compact];
  return [eitherWay(Number(exact[1]), [Number(exact[2]), Number(exact[3])]), compact];
}

const COMPACT = /^(\d{4})(\d\d)(\d\d)$/;

/** The common form of a date without separators, as names of files and logs have it: `20240305`. */
export function compactDate(token: string): string[] {
  const [, year = '', month, day] = COMPACT.exec(token) ?? [];
  return /^(?:19|20)/.test(year) ? tokensOf(Number(month), Number(day), yearOf(year)).slice(0, 1) : [];
}

/** Whether a token is one of the signs between the numbers of `2024年3月5日`. */
export const isDateUnit = (token: string): boolean => /^[年月日號号년월일]$/u.test(token);

/** Whether a token is the common form of a date. */
export const isDate = (token: string): boolean => EXACT.test(token);
