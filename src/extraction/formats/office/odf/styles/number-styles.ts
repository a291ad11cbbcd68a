/** Writes the number formats of OpenDocument (1.3 part 3, 16.29) as codes of Excel: `#,##0.00`, `dd.mm.yyyy`. */
import { attributeOf, childrenOf, isElement, textOf, type XmlElement } from '../../../../markup/xml-tree.ts';

const NUMBER_STYLES = new Set(
  'number-style percentage-style currency-style date-style time-style boolean-style text-style'.split(' '),
);

export const isNumberStyle = (name: string): boolean => NUMBER_STYLES.has(name);

/** Digits beyond this do not fit into a code. */
const DIGITS_MAX = 20;

/** A condition that all numbers meet. */
const ALL = /^<=1\.79\d*E\+308$/;

/**
 * The code of a number style. `find`: the style of a name, among those whose sections its conditions choose. Undefined
 * where numbers are shown as they are.
 */
export function numberCode(
  style: XmlElement,
  find: (name: string) => XmlElement | undefined,
): string | undefined {
  const sections = childrenOf(style, 'map').flatMap((map): { condition: string; code: string }[] => {
    const other = find(attributeOf(map, 'apply-style-name') ?? '');
    const condition = /^value\(\)([<>=!]+-?[\d.]+(?:E[+-]?\d+)?)$/i.exec(
      (attributeOf(map, 'condition') ?? '').replace(/\s/g, ''),
    )?.[1];
    return other && condition ? [{ condition, code: sectionOf(other) }] : [];
  });
  const own = OF_NO_NUMBER.has(style.name) ? [] : [sectionOf(style)];
  const [first, second] = sections;
  if (!first) return own[0];
  if (ALL.test(first.condition)) return first.code;
  const codes = [...sections.map(({ code }) => code), ...own];
  // Sections with the usual conditions have none: only then a negative number loses its sign.
  if (first.condition === '>=0') return codes.slice(0, 2).join(';');
  if (first.condition === '>0' && second?.condition === '<0') return codes.slice(0, 3).join(';');
  const conditions = sections.slice(0, 2).map(({ condition }) => `[${condition.replace('!=', '<>')}]`);
  return codes
    .slice(0, 3)
    .map((code, i) => `${conditions[i] ?? ''}${code}`)
    .join(';');
}

const OF_NO_NUMBER = new Set(['boolean-style', 'text-style']);

function sectionOf(style: XmlElement): string {
  const isDuration = attributeOf(style, 'truncate-on-overflow') === 'false';
  const parts = style.children.filter(isElement).map((part) => partCode(part, style.name));
  // The first part of a duration counts beyond a day: `[h]:mm`.
  const first = isDuration ? parts.findIndex((part) => /^[hms]+$/.test(part)) : -1;
  return localeOf(style) + parts.map((part, i) => (i === first ? `[${part}]` : part)).join('');
}

/** A locale decides the names of months and days, and the marks in numbers. */
function localeOf(style: XmlElement): string {
  const language = attributeOf(style, 'language') ?? '';
  if (!/^[a-z]{2,3}$/i.test(language)) return '';
  const country = attributeOf(style, 'country') ?? '';
  return `[$-${language}${/^[a-z]{2}$/i.test(country) ? `-${country}` : ''}]`;
}

function partCode(part: XmlElement, styleName: string): string {
  const isLong = attributeOf(part, 'style') === 'long';
  switch (part.name) {
    case 'number':
      return numberPart(part);
    case 'scientific-number':
      return `${numberPart(part)}E+${'0'.repeat(countOf(part, 'min-exponent-digits', 2))}`;
    case 'fraction':
      return fractionPart(part);
    case 'text':
      return styleName === 'percentage-style' && textOf(part).trim() === '%' ? '%' : quoted(textOf(part));
    case 'currency-symbol':
      return quoted(textOf(part));
    case 'day':
      return isLong ? 'dd' : 'd';
    case 'month':
      return monthPart(part, isLong);
    case 'year':
      return isLong ? 'yyyy' : 'yy';
    case 'day-of-week':
      return isLong ? 'dddd' : 'ddd';
    case 'hours':
      return isLong ? 'hh' : 'h';
    case 'minutes':
      return isLong ? 'mm' : 'm';
    case 'seconds':
      return (isLong ? 'ss' : 's') + decimals(countOf(part, 'decimal-places', 0));
    case 'am-pm':
      return 'AM/PM';
    default:
      return '';
  }
}

function monthPart(part: XmlElement, isLong: boolean): string {
  if (attributeOf(part, 'textual') === 'true') return isLong ? 'mmmm' : 'mmm';
  return isLong ? 'mm' : 'm';
}

function numberPart(part: XmlElement): string {
  if (isGeneral(part)) return 'General';
  const places = Math.max(countOf(part, 'decimal-places', 0), countOf(part, 'min-decimal-places', 0));
  const kept = countOf(part, 'min-decimal-places', places);
  const scale = Math.round(Math.log10(Number(attributeOf(part, 'display-factor') ?? 1)) / 3);
  const shown = decimals(kept) || (places > 0 ? '.' : '');
  return (
    wholePart(part) +
    shown +
    '#'.repeat(places - kept) +
    ','.repeat(scale > 0 ? Math.min(scale, SCALE_MAX) : 0)
  );
}

/** Thousands, by which a format divides. */
const SCALE_MAX = 5;

const isGeneral = (part: XmlElement): boolean =>
  part.name === 'number' &&
  ['decimal-places', 'min-decimal-places', 'grouping'].every(
    (name) => attributeOf(part, name) === undefined,
  ) &&
  countOf(part, 'min-integer-digits', 0) <= 1;

/** The digits before the point: `#,##0`, or with texts between them `000-00-0000`. */
function wholePart(part: XmlElement): string {
  const least = '0'.repeat(countOf(part, 'min-integer-digits', 1));
  if (attributeOf(part, 'grouping') === 'true') return `#,##${least || '#'}`;
  // The digits of an exponent come in steps: `##0.0E+0`.
  const interval = countOf(part, 'exponent-interval', 1);
  const texts = childrenOf(part, 'embedded-text').map((text) => ({
    text: quoted(textOf(text)),
    digitsAfter: countOf(text, 'position', 0),
  }));
  const length = Math.max(interval, 1, ...texts.map(({ digitsAfter }) => digitsAfter + 1));
  const digits = [...least.padStart(length, '#')];
  for (const { text, digitsAfter } of texts)
    digits[digits.length - digitsAfter] = `${text}${digits[digits.length - digitsAfter] ?? ''}`;
  return digits.join('');
}

const decimals = (places: number): string => (places > 0 ? `.${'0'.repeat(places)}` : '');

function fractionPart(part: XmlElement): string {
  const whole = attributeOf(part, 'min-integer-digits') === undefined ? '' : '# ';
  const denominator =
    attributeOf(part, 'denominator-value') ?? '?'.repeat(countOf(part, 'min-denominator-digits', 1));
  return `${whole}${'?'.repeat(countOf(part, 'min-numerator-digits', 1) || 1)}/${denominator || '?'}`;
}

function countOf(part: XmlElement, name: string, missing: number): number {
  const count = Math.floor(Number(attributeOf(part, name) ?? missing));
  return count >= 0 ? Math.min(count, DIGITS_MAX) : missing;
}

/** Text of a format, which a code has in quotes or after a backslash. */
const quoted = (text: string): string =>
  text
    .split('"')
    .map((piece) => (piece === '' ? '' : `"${piece}"`))
    .join('\\"');
