/** Equations as text with their structure. */
import { expect, test } from 'vitest';
import { writeMath } from './mathml.ts';
import { readHtml } from './read-html.ts';

function lineOf(content: string): string | undefined {
  const math = writeMath();
  let line: string | undefined;
  readHtml(`<math>${content}</math>`, {
    ...math,
    close: () => {
      line = math.close() ?? line;
    },
  });
  return line;
}

const leaf = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
const [mi, mn, mo, mtext] = [leaf('mi'), leaf('mn'), leaf('mo'), leaf('mtext')] as const;

test.each([
  [
    `${mi('u')}${mo('=')}<mfrac>${mtext('hours worked')}${mtext('hours available')}</mfrac>`,
    'u=(hours worked)/(hours available)',
  ],
  [
    `${mi('K')}${mo('=')}<msub>${mi('K')}${mn('0')}</msub><msup><mrow>${mo('(')}${mn('1')}${mo('+')}<mfrac>` +
      `${mi('p')}${mn('100')}</mfrac>${mo(')')}</mrow>${mi('n')}</msup>`,
    'K=K_0(1+p/100)^n',
  ],
  [`${mi('E')}${mo('=')}${mi('m')}<msup>${mi('𝑐')}${mn('2')}</msup>`, 'E=mc^2'],
  [`${mo('(')}${mi('a')}<msup>${mo(')')}${mn('2')}</msup>`, '(a)^2'],
  [`<msup><mrow>${mi('a')}${mo('+')}${mi('b')}</mrow>${mn('2')}</msup>`, '(a+b)^2'],
  [
    `<munderover>${mo('∑')}<mrow>${mi('i')}${mo('=')}${mn('1')}</mrow>${mi('n')}</munderover>` +
      `<msub>${mi('x')}${mi('i')}</msub>`,
    '∑_(i=1)^n x_i',
  ],
  [`<msqrt>${mi('x')}${mo('+')}${mn('1')}</msqrt><mroot>${mi('y')}${mn('3')}</mroot>`, '√(x+1)√[3]y'],
  [`<mroot>${mi('x')}${mi('❑')}</mroot>`, '√x'],
  [`${mo('(')}<mfrac linethickness="0">${mi('n')}${mi('k')}</mfrac>${mo(')')}`, '(n¦k)'],
  [`<mfrac linethickness="0.5pt">${mi('n')}${mi('k')}</mfrac>`, 'n/k'],
  [`${mi('sin')}${mo('\u2061')}${mi('x')}`, 'sin x'],
  [`${mn('2')}${mn('3')}`, '2 3'],
  [`<mover>${mi('x')}${mo('¯')}</mover>`, 'x\u0305'],
  [`<mmultiscripts>${mi('C')}<mprescripts/>${mn('6')}${mn('14')}</mmultiscripts>`, '_6^14 C'],
  [
    `${mo('[')}<mtable><mtr><mtd>${mi('a')}</mtd><mtd>${mi('b')}</mtd></mtr><mtr>` +
      `<mtd>${mi('c')}</mtd></mtr></mtable>${mo(']')}`,
    '[a, b; c]',
  ],
  [
    `<semantics><mrow>${mi('x')}</mrow><annotation encoding="application/x-tex">\\mathbf{x}</annotation></semantics>`,
    'x',
  ],
  [`<msup>${mn('90')}${mo('∘')}</msup>`, '90°'],
  [`<mfenced>${mi('a')}${mi('b')}</mfenced>`, '(a, b)'],
])('%s', (content, line) => expect(lineOf(content)).toBe(line));
