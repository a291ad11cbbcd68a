/** Writes the paragraphs of shapes (DrawingML, ECMA-376 part 1, 21.1.2), with their automatic numbers. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import {
  attributeOf,
  childOf,
  childrenOf,
  isElement,
  textOf,
  type XmlElement,
} from '../../../markup/xml-tree.ts';
import { type HtmlRenderer, labelled } from '../../../rendering/html-renderer.ts';
import { isSymbolFont, symbolText } from '../../../symbol-fonts.ts';
import { linearEquation } from '../equations/equation.ts';
import { listNumber } from '../word/numbering/list-numbers.ts';
import { contentOf } from './alternatives.ts';

/** `element`: the HTML element of paragraphs without a number. */
export type TextBodyOptions = { element: 'h1' | 'p'; label?: string };

export function writeTextBody(
  renderer: HtmlRenderer,
  body: XmlElement | undefined,
  { element, label = '' }: TextBodyOptions,
): void {
  const numbers = paragraphNumbers();
  let prefix = label === '' ? '' : `${label} `;
  for (const paragraph of childrenOf(body, 'p')) {
    if (isEmpty(paragraph)) continue;
    const number = numbers.take(childOf(paragraph, 'pPr'));
    const isItem = number !== undefined && element === 'p';
    const attributes: Attributes | undefined = isItem ? labelled(number) : undefined;
    renderer.open(isItem ? 'li' : element, attributes);
    renderer.text(number === undefined || isItem ? prefix : `${prefix}${number} `);
    prefix = '';
    writeRuns(renderer, paragraph);
    renderer.close(isItem ? 'li' : element);
  }
}

const isEmpty = (paragraph: XmlElement): boolean => !/\S/.test(textOf(paragraph));

type Script = 'sup' | 'sub' | '';

function writeRuns(renderer: HtmlRenderer, paragraph: XmlElement): void {
  let script: Script = '';
  const setScript = (wanted: Script): void => {
    if (script === wanted) return;
    if (script !== '') renderer.close(script);
    if (wanted !== '') renderer.open(wanted);
    script = wanted;
  };
  for (const run of contentOf(paragraph)) {
    if (run.name === 'r' || run.name === 'fld') {
      setScript(scriptOf(run));
      renderer.text(runText(run));
    } else if (run.name === 'br') {
      setScript('');
      renderer.open('br');
    } else if (run.name === 'm') {
      setScript('');
      renderer.text(equationsOf(run).map(linearEquation).join(' '));
    }
  }
  setScript('');
}

/** The equations of an `m` (a14), of which each may stand in a paragraph of equations. */
function equationsOf(element: XmlElement): XmlElement[] {
  const inside = element.children.filter(isElement);
  return inside.flatMap((child) => (child.name === 'oMathPara' ? childrenOf(child, 'oMath') : [child]));
}

/** A baseline above or below the line, in thousandths of the font's size. */
function scriptOf(run: XmlElement): Script {
  const baseline = Number.parseFloat(attributeOf(childOf(run, 'rPr'), 'baseline') ?? '0');
  return baseline > 0 ? 'sup' : baseline < 0 ? 'sub' : '';
}

/** What layouts show in place of a slide's number. */
const NUMBER_SIGN = /^[‹<]#[›>]$/;

function runText(run: XmlElement): string {
  const text = textOf(childOf(run, 't'));
  if (run.name === 'fld' && NUMBER_SIGN.test(text)) return '';
  const fonts = ['sym', 'latin'].map((name) => attributeOf(childOf(run, 'rPr', name), 'typeface') ?? '');
  const [symbols = '', latin = ''] = fonts;
  if (isSymbolFont(latin)) return symbolText(latin, text);
  return text.replace(PRIVATE_CHARACTERS, (characters) => symbolText(symbols, characters));
}

/** Characters of symbol fonts. */
const PRIVATE_CHARACTERS = /[\uf020-\uf0ff]+/g;

/**
 * Numbers the paragraphs of one body (21.1.2.4.1). A paragraph of another kind ends the numbers of its level and below.
 */
function paragraphNumbers() {
  const levels: ({ type: string; number: number } | undefined)[] = [];
  return {
    /** The number before a paragraph with these properties; undefined where it has none. */
    take(properties: XmlElement | undefined): string | undefined {
      const level = Math.min(8, Number(attributeOf(properties, 'lvl') ?? 0) || 0);
      const numbered = childOf(properties, 'buAutoNum');
      levels.length = level + 1;
      const last = levels[level];
      levels[level] = undefined;
      if (!numbered) return undefined;
      const type = attributeOf(numbered, 'type') ?? 'arabicPeriod';
      const first = Number(attributeOf(numbered, 'startAt') ?? 1) || 1;
      const number = last?.type === type ? last.number + 1 : first;
      levels[level] = { type, number };
      return numberText(number, type);
    },
  };
}

/** The kinds of numbers by the start of a type's name (20.1.10.61), in Word's words. */
const KINDS: [start: RegExp, format: string][] = [
  [/^alphaLc/, 'lowerLetter'],
  [/^alphaUc/, 'upperLetter'],
  [/^romanLc/, 'lowerRoman'],
  [/^romanUc/, 'upperRoman'],
  [/^circleNum/, 'decimalEnclosedCircle'],
  [/^ea1Ch/, 'chineseCounting'],
  [/^ea1JpnChsDb/, 'japaneseCounting'],
  [/^ea1JpnKor/, 'ideographDigital'],
  [/^arabic1/, 'arabicAlpha'],
  [/^arabic2/, 'arabicAbjad'],
  [/^hebrew2/, 'hebrew2'],
  [/^thaiAlpha/, 'thaiLetters'],
  [/^thaiNum/, 'thaiNumbers'],
  [/^hindiNum/, 'hindiNumbers'],
  [/^hindiAlpha/, 'hindiConsonants'],
];

/** `numberText(2, 'alphaLcParenR')` → `b)` */
function numberText(number: number, type: string): string {
  const format = KINDS.find(([start]) => start.test(type))?.[1] ?? 'decimal';
  const written = listNumber(number, format);
  if (type.endsWith('ParenBoth')) return `(${written})`;
  if (type.endsWith('ParenR')) return `${written})`;
  if (type.endsWith('Period')) return `${written}.`;
  return type.endsWith('Minus') ? `${written}-` : written;
}
