/**
 * The levels of list styles and the labels that they give to entries (OpenDocument 1.3 part 3, clauses 16.30 and
 * 19.880).
 */
import type { Attributes } from '../../../../markup/markup-tokens.ts';
import { attribute } from '../../../../markup/read-xml.ts';
import { letterNumber, romanNumber } from '../../../../rendering/number-formats.ts';
import { listNumber } from '../../word/numbering/list-numbers.ts';

/** `template`: the label with `%2%` for the number of level 2. Newer files have it beside the older attributes. */
export type ListLevel = {
  isBullet: boolean;
  format: string;
  isLetterSynced: boolean;
  prefix: string;
  suffix: string;
  shownLevels: number;
  start: number;
  template: string | undefined;
};

/** More levels than any program has. */
const LEVELS_MAX = 20;

export function listLevel(
  name: string,
  attributes: Attributes,
): { level: number | undefined; definition: ListLevel } {
  const level = Number(attribute(attributes, 'level'));
  const isBullet = name.endsWith('-bullet') || name.endsWith('-image');
  return {
    level: Number.isInteger(level) && level >= 1 && level <= LEVELS_MAX ? level : undefined,
    definition: {
      isBullet,
      format: attribute(attributes, 'num-format') ?? '',
      isLetterSynced: attribute(attributes, 'num-letter-sync') === 'true',
      prefix: attribute(attributes, 'num-prefix') ?? '',
      suffix: attribute(attributes, 'num-suffix') ?? '',
      shownLevels: Number(attribute(attributes, 'display-levels') ?? 1) || 1,
      start: startValue(attribute(attributes, 'start-value')) ?? 1,
      template: attribute(attributes, 'num-list-format'),
    },
  };
}

/** A start value; undefined where it is missing or no number. */
export function startValue(written: string | undefined): number | undefined {
  const value = Number.parseInt(written ?? '', 10);
  return Number.isNaN(value) ? undefined : value;
}

/** The label of the entry that these numbers count, from the outermost level on; empty for a level without a number. */
export function numberLabel(levels: readonly ListLevel[], numbers: readonly number[]): string {
  const level = numbers.length;
  const own = levels[level - 1];
  if (!own || own.isBullet) return '';
  const numberAt = (at: number): string => {
    const definition = levels[at - 1];
    return definition && !definition.isBullet ? written(definition, numbers[at - 1] ?? 0) : '';
  };
  if (own.template !== undefined)
    return own.template.replace(/%(\d{1,2})%/g, (_, at) => numberAt(Number(at)));
  if (own.format === '') return '';
  const shown: string[] = [];
  for (let at = Math.max(1, level - own.shownLevels + 1); at <= level; at++) shown.push(numberAt(at));
  return `${own.prefix}${shown.filter((number) => number !== '').join('.')}${own.suffix}`;
}

/** Clause 19.500. Formats that only some programs know are written as decimal numbers. */
function written({ format, isLetterSynced }: ListLevel, number: number): string {
  switch (format) {
    case '':
      return '';
    case 'a':
      return letterNumber(number, { isRepeated: isLetterSynced });
    case 'A':
      return letterNumber(number, { isRepeated: isLetterSynced }).toUpperCase();
    case 'i':
      return romanNumber(number);
    case 'I':
      return romanNumber(number).toUpperCase();
    default:
      return listNumber(number, SEQUENCES.get(secondOf(format)) ?? 'decimal');
  }
}

/** `一, 二, 三, ...` → `二` */
const secondOf = (sequence: string): string => sequence.split(', ', 2)[1] ?? '';

/**
 * LibreOffice writes further formats as the beginning of their sequence (`01, 02, 03, ...`). The second number tells
 * them apart. The names are Word's.
 */
const SEQUENCES = new Map([
  ['02', 'decimalZero'],
  ['002', 'digits 3'],
  ['0002', 'digits 4'],
  ['00002', 'digits 5'],
  ['２', 'decimalFullWidth'],
  ['②', 'decimalEnclosedCircle'],
  ['二', 'chineseCounting'],
  ['贰', 'chineseLegalSimplified'],
  ['貳', 'ideographLegalTraditional'],
  ['弐', 'japaneseLegal'],
  ['イ', 'aiueo'],
  ['ロ', 'iroha'],
  ['乙', 'ideographTraditional'],
  ['丑', 'ideographZodiac'],
  ['나', 'ganada'],
  ['ㄴ', 'chosung'],
  ['이', 'koreanCounting'],
  ['Б', 'russianUpper'],
  ['б', 'russianLower'],
  ['ب', 'arabicAlpha'],
  ['ב', 'hebrew2'],
  ['ข', 'thaiLetters'],
  ['๒', 'thaiNumbers'],
]);
