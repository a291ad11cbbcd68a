/**
 * Writes numbers as a sheet shows them in a wide column, by format codes (ECMA-376 part 1, 18.8.31). SheetJS has a
 * formatter too, but it takes each dot after a part of a date for fractions of a second: `dd.mm.yyyy` fails.
 */
import { addLocale, format, getFormatDateInfo, getLocale, isValidFormat, type LocaleData } from 'numfmt';

/** Writes the values of cells that have one format. `written`: a number as it is stored. */
export type ValueFormat = { number(written: string): string; text(text: string): string };

/** Excel accepts no longer code. */
const CODE_MAX_LENGTH = 255;

/** Days from January 1st, 1900 to January 1st, 1904, with which some workbooks begin to count. */
const DAYS_TO_1904 = 1462;

/** `epoch1904`: dates count from 1904. */
export function valueFormat(code: string, { epoch1904 }: { epoch1904: boolean }): ValueFormat {
  if (/^\s*(?:general|@)?\s*$/i.test(code) || code.length > CODE_MAX_LENGTH)
    return { number: generalNumber, text: (text) => text };
  const valid = validCode(normaliseCode(code));
  const withDigits = digitWriter(code);
  const addedDays = epoch1904 && isDate(valid) ? DAYS_TO_1904 : 0;
  return {
    number(written) {
      const value = Number(written);
      if (written.trim() === '' || !Number.isFinite(value)) return written;
      const shown = showNumber(withFullIntegers(valid, value), value + addedDays);
      return withDigits(shown === undefined || shown === OVERFLOW ? generalNumber(written) : shown.trim());
    },
    text: hasTextSection(valid) ? (text) => tryFormat(valid, text) ?? text : (text) => text,
  };
}

/** The shape of digits is the fourth byte of a locale from its end: `[$-2000401]` is Arabic, `[$-D07041E]` Thai. */
const DIGIT_SHAPE = /\[\$[^\]-]*-([\da-f]{1,2})[\da-f]{6}\]/i;
/** The zeros of the shapes 2 to 18: Arabic, Persian, ten scripts of India from Hindi on, Thai, Lao and others. */
const ZEROS = '٠۰०০੦૦୦௦౦೦൦๐໐༠၀፨០';

/** Chinese numbers (`[DBNum1]`, shapes from 27 on) stay in figures, by which people look for them. */
function digitWriter(code: string): (shown: string) => string {
  const zero = [...ZEROS][Number.parseInt(DIGIT_SHAPE.exec(code)?.[1] ?? '0', 16) - 2];
  if (zero === undefined || !/^\p{Nd}$/u.test(zero)) return (shown) => shown;
  const first = zero.charCodeAt(0);
  return (shown) => shown.replace(/[0-9]/g, (digit) => String.fromCharCode(first + Number(digit)));
}

/** What the formatter writes for a number that no section of the code is for. */
const OVERFLOW = '######';

/** Hours, minutes or seconds beyond a day or hour, such as `[h]:mm`. */
const DURATION = /\[(?:h+|m+|s+)\]/i;
/** A condition, such as `[<=100]`. */
const CONDITION = /\[[<>=]/;

/**
 * Durations below zero, and numbers below zero for which a code has a single section with a condition, keep their sign.
 * numfmt counts the minutes of the former from the hour before, and drops the sign of the latter.
 */
function showNumber(written: string, value: number): string | undefined {
  const code = ERA.test(written) ? withEra(written, value) : written;
  const isSingle = !code.includes(';');
  if (value < 0 && isSingle && DURATION.test(code)) return signed(tryFormat(code, -value));
  const shown = tryFormat(code, value);
  if (shown && FRACTION.test(code) && isOne(shown)) return tryFormat(code, Math.round(value));
  return value < 0 && isSingle && CONDITION.test(code) && !shown?.includes('-') ? signed(shown) : shown;
}

/** A fraction after a whole number: `# ?/?`. */
const FRACTION = /[#0?] +[#0?]+\/[#?\d]/;

/** Whether the fraction is 1/1 or 16/16: numfmt does not carry it to the whole number before it. */
function isOne(shown: string): boolean {
  const [, numerator, denominator] = /(\d+)\/(\d+)/.exec(shown) ?? [];
  return numerator !== undefined && numerator === denominator;
}

/** The era of a date in Japan, and the year in it: `ggge"年"` shows 令和13年. */
const ERA = /^(?=.*\[\$-(?:0?411|ja\b))(?:[^"[\\]|"[^"]*"|\\.|\[[^\]]*\])*?[ge]/i;
const DAY_MS = 86_400_000;
const UNIX_EPOCH = 25_569;

function withEra(code: string, value: number): string {
  const date = new Date((value - UNIX_EPOCH) * DAY_MS);
  const partOf = (locale: string, part: 'era' | 'year', era: 'long' | 'narrow'): string =>
    new Intl.DateTimeFormat(`${locale}-u-ca-japanese`, { era, year: 'numeric', timeZone: 'UTC' })
      .formatToParts(date)
      .find(({ type }) => type === part)?.value ?? '';
  if (Number.isNaN(date.getTime())) return code;
  return replaceUnquoted(code, /g+|e+(?![+-])/i, (found) => {
    if (/e/i.test(found)) return `"${partOf('en', 'year', 'long').padStart(found.length, '0')}"`;
    const name = found.length === 1 ? partOf('en', 'era', 'narrow') : partOf('ja', 'era', 'long');
    return `"${found.length === 2 ? name.charAt(0) : name}"`;
  });
}

const signed = (shown: string | undefined): string | undefined => shown && `-${shown}`;

/** Returns undefined where no date has this number. */
function tryFormat(code: string, value: number | string): string | undefined {
  try {
    return format(code, value, { dateErrorThrows: true, overflow: OVERFLOW });
  } catch {
    return undefined;
  }
}

/** Integers of up to this many digits are written as stored. Longer ones would be pages of zeros. */
const INTEGER = /^-?\d{1,20}$/;

/** From this size on the general format shows powers of ten, in which nobody finds an article or telephone number. */
const LONG_NUMBER = 1e10;
/** From this size on a power of ten remains. */
const HUGE_NUMBER = 1e21;

/** A number in the general format: integers in full, fractions rounded to what fits into eleven characters. */
export function generalNumber(written: string): string {
  if (INTEGER.test(written)) return written;
  const value = Number(written);
  if (written.trim() === '' || !Number.isFinite(value)) return written;
  const size = Math.abs(value);
  if (size < LONG_NUMBER || size >= HUGE_NUMBER) return format('General', value);
  // Excel calculates with 15 digits.
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));
}

/** The code, with the format of integers instead of the general one where that would show a power of ten. */
function withFullIntegers(code: string, value: number): string {
  if (Math.abs(value) < LONG_NUMBER || !Number.isInteger(value)) return code;
  return replaceUnquoted(code, /general/i, () => '0');
}

/** Replaces the letters of a code that are not quoted or escaped. */
function replaceUnquoted(code: string, pattern: RegExp, replace: (found: string) => string): string {
  const parts = new RegExp(`"[^"]*"|\\\\.|\\[[^\\]]*\\]|${pattern.source}`, 'gi');
  return code.replace(parts, (found) => (/^["\\[]/.test(found) ? found : replace(found)));
}

/** A currency and the number of a locale, such as `[$-407]`. */
const LOCALE = /(\[\$[^\]-]*)-([\dA-F]{3,8})\]/gi;
/** The locale of a currency concerns its sign alone: the number has the marks of other numbers. */
const CURRENCY_LOCALE = /(\[\$[^\]-]+)-[\dA-F]{3,8}\]/gi;
/** Of Windows' number of a locale, the bits that are the language: 19 of 419, Russian, and of FC19, its genitive. */
const windowsLanguage = (locale: string): number => Number.parseInt(locale, 16) & 0x3ff;
/** The bit that makes a language a locale, without a country of its own. */
const LANGUAGE_ALONE = 0x400;

/** A locale with the calendar 7, Buddhist years (Thailand). */
const BUDDHIST_CALENDAR = /\[\$-[0-9a-f]{0,2}07[0-9a-f]{4}\]/i;

/** Halves of the day, and powers of ten, which some programs write in small letters. */
const CAPITALS = /am?\/pm?|e(?=[+-])/i;

/** The code in numfmt's spelling. */
function normaliseCode(code: string): string {
  if (code.includes('[$')) addFurtherLocales();
  const capitals = replaceUnquoted(code, CAPITALS, (found) => found.toUpperCase());
  const plain = capitals.replace(CURRENCY_LOCALE, '$1]');
  const known = plain.replace(LOCALE, (found, prefix: string, locale: string) =>
    getLocale(locale) ? found : `${prefix}-${(LANGUAGE_ALONE | windowsLanguage(locale)).toString(16)}]`,
  );
  const separator = dateSeparator(known);
  const separated =
    separator === '/'
      ? known
      : replaceUnquoted(known, DATE_SEPARATION, (found) => found.replace('/', separator));
  return BUDDHIST_CALENDAR.test(code)
    ? replaceUnquoted(separated, /y+/i, (year) => 'b'.repeat(year.length))
    : separated;
}

/** A slash after a part of a date. Others belong to fractions. */
const DATE_SEPARATION = /[dmy]+\//i;

/**
 * What a slash between the parts of a date stands for, by languages: their two letters, or Windows' numbers of them.
 */
const SEPARATORS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '.':
      'bg 2 cs 5 de 7 fi 11 hu 14 is 15 nb 20 no pl 21 ro 24 ru 25 hr 26 sk 27 tr 31 uk 34 be 35 sl 36 ' +
      'et 37 lv 38 mk 47',
    '-': 'da 6 nl 19 sv 29 lt 39',
  }).flatMap(([separator, languages]) =>
    languages.split(' ').map((language): [string, string] => [language, separator]),
  ),
);

/** The separator of dates in the locale of a code: `[$-407]` is German, as is `[$-de-AT]`. */
function dateSeparator(code: string): string {
  const [, locale = ''] = /\[\$[^\]-]*-([^\]]+)\]/.exec(code) ?? [];
  const language = /^[0-9a-f]{3,8}$/i.test(locale)
    ? String(windowsLanguage(locale))
    : (locale.split('-')[0] ?? '');
  return SEPARATORS.get(language.toLowerCase()) ?? '/';
}

/** Two parts of a date beside each other. */
const DATE_PARTS = /[ymd]{2,}[^a-z]{1,3}[ymd]/i;

/** The code, or one that shows what an invalid code is meant to show: a date, or a number. */
function validCode(code: string): string {
  if (isValidFormat(code)) return code;
  return DATE_PARTS.test(code) ? 'yyyy-mm-dd h:mm' : 'General';
}

/** Whether the code shows dates. Times and durations do not depend on the day from which a workbook counts. */
function isDate(code: string): boolean {
  const { year, month, day } = getFormatDateInfo(code);
  return year || month || day;
}

/** Whether texts change by the code: it has a place for them (`"No. "@`), or a fourth section, perhaps empty. */
const hasTextSection = (code: string): boolean => code.includes('@') || code.split(';').length > 3;

/** Languages of Excel whose names of months and days numfmt does not have. */
const FURTHER_LANGUAGES = 'af bs et eu fa ga gl ky lb mk ms mt sq sw tg tk ur uz'.split(' ');
let hasFurtherLocales = false;

function addFurtherLocales(): void {
  if (hasFurtherLocales) return;
  hasFurtherLocales = true;
  for (const language of FURTHER_LANGUAGES) addLocale(namesIn(language), language);
}

/** The names of months, as they stand in dates, and of days. */
function namesIn(language: string): Partial<LocaleData> {
  const locale = `${language}-u-ca-gregory-nu-latn`;
  const names = (part: 'month' | 'weekday', width: 'long' | 'short', dates: Date[]) => {
    const formatter = new Intl.DateTimeFormat(locale, { day: 'numeric', [part]: width, timeZone: 'UTC' });
    return dates.map((date) => formatter.formatToParts(date).find(({ type }) => type === part)?.value ?? '');
  };
  const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2023, month, 1)));
  const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2023, 0, 1 + day))); // from a Sunday
  return {
    mmmm: names('month', 'long', months),
    mmm: names('month', 'short', months),
    dddd: names('weekday', 'long', days),
    ddd: names('weekday', 'short', days),
  };
}
