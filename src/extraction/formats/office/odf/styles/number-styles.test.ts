/** Number formats of OpenDocument show numbers as programs do. */
import { expect, test } from 'vitest';
import { isElement, readXmlTree, type XmlElement } from '../../../../markup/xml-tree.ts';
import { valueFormat } from '../../../number-format.ts';
import { numberCode } from './number-styles.ts';

const number = (attributes: string, digits = 1) =>
  `<number:number number:min-integer-digits="${digits}" ${attributes}/>`;
const text = (written: string) => `<number:text>${written}</number:text>`;
const map = (condition: string, name: string) =>
  `<style:map style:condition="value()${condition}" style:apply-style-name="${name}"/>`;
const DATE =
  `<number:day number:style="long"/>${text('.')}<number:month number:style="long"/>` +
  `${text('.')}<number:year number:style="long"/>`;
const MONEY = number('number:decimal-places="2" number:grouping="true"');
/** Half past two of 7 March 2031. */
const MOMENT = 47914.604166666664;

function show(kind: string, content: string, value: number, others = ''): string {
  const style = (name: string) => `<number:${kind} style:name="N"${name}</number:${kind}>`;
  const root = readXmlTree(Buffer.from(`<x>${style(`${content}`)}${others}</x>`));
  const elements = root.children.filter(isElement).flatMap(({ children }) => children.filter(isElement));
  const styles = new Map(elements.map((one) => [one.attributes.get('style:name'), one]));
  const code = numberCode(styles.get('N') as XmlElement, (name) => styles.get(name));
  return code === undefined ? String(value) : valueFormat(code, { epoch1904: false }).number(String(value));
}

test.each([
  ['number-style', number(''), 12.5, '12.5'],
  ['number-style', number('number:decimal-places="0"'), 12.5, '13'],
  ['number-style', number('number:decimal-places="3" number:min-decimal-places="1"'), 12, '12.0'],
  [
    'number-style',
    number('number:decimal-places="1" number:display-factor="1000000"') + text('M'),
    1234567,
    '1.2M',
  ],
  ['number-style', number('number:decimal-places="0"', 5), 67, '00067'],
  [
    'number-style',
    '<number:number number:min-integer-digits="6" number:decimal-places="0">' +
      '<number:embedded-text number:position="4">.</number:embedded-text>' +
      '<number:embedded-text number:position="2">.</number:embedded-text></number:number>',
    1235,
    '00.12.35',
  ],
  [
    'number-style',
    '<number:scientific-number number:decimal-places="2" number:min-integer-digits="1" ' +
      'number:min-exponent-digits="2"/>',
    12345,
    '1.23E+04',
  ],
  [
    'number-style',
    '<number:fraction number:min-integer-digits="0" number:min-numerator-digits="1" ' +
      'number:min-denominator-digits="1"/>',
    2.5,
    '2 1/2',
  ],
  ['number-style', number('number:decimal-places="0"') + text(' pcs of 12" each'), 7, '7 pcs of 12" each'],
  ['percentage-style', number('number:decimal-places="1"') + text('%'), 0.256, '25.6%'],
  [
    'currency-style',
    `${MONEY}${text(' ')}<number:currency-symbol>€</number:currency-symbol>`,
    1234.5,
    '1,234.50 €',
  ],
  ['date-style', DATE, MOMENT, '07.03.2031'],
  ['time-style', `<number:hours/>${text(':')}<number:minutes number:style="long"/>`, MOMENT, '14:30'],
])('a %s', (kind, content, value, shown) => {
  expect(show(kind, `>${content}`, value)).toBe(shown);
});

test('names of months are those of the language, and hours of durations go on beyond a day', () => {
  const date = `<number:day/>${text('. ')}<number:month number:textual="true" number:style="long"/>`;
  expect(show('date-style', ` number:language="de" number:country="AT">${date}`, MOMENT)).toBe('7. März');
  const time = `<number:hours/>${text(':')}<number:minutes number:style="long"/>`;
  expect(show('time-style', ` number:truncate-on-overflow="false">${time}`, 1.5)).toBe('36:00');
});

test('conditions choose sections', () => {
  const style = (name: string, content: string) =>
    `<number:number-style style:name="${name}">${content}</number:number-style>`;
  const whole = number('number:decimal-places="0"');
  const sections =
    style('P', `${whole}${text(' up')}`) + style('M', `${whole}${text(' down')}`) + style('Z', text('even'));
  const inNumbers = (content: string, value: number) => show('number-style', `>${content}`, value, sections);
  expect([5, -5].map((value) => inNumbers(`${text('-')}${whole}${map('&gt;=0', 'P')}`, value))).toEqual([
    '5 up',
    '-5',
  ]);
  const three = `<number:text-content/>${map('&gt;0', 'P')}${map('&lt;0', 'M')}${map('=0', 'Z')}`;
  expect([5, -5, 0].map((value) => show('text-style', `>${three}`, value, sections))).toEqual([
    '5 up',
    '5 down',
    'even',
  ]);
  expect(show('text-style', `>${map('&lt;=1.7976931348623157E+308', 'P')}`, 5, sections)).toBe('5 up');
  expect([50, 500].map((value) => inNumbers(`${whole}${map('&gt;100', 'P')}`, value))).toEqual([
    '50',
    '500 up',
  ]);
  expect(show('text-style', '>', 5)).toBe('5');
});
