/** Equations keep their structure in a line of text. */
import { describe, expect, it } from 'vitest';
import { paragraph, readWord } from '../../../testing/office-files.ts';

const textOf = async (...from: Parameters<typeof readWord>) => (await readWord(...from)).text;

describe('equations', () => {
  const m = (name: string, ...children: string[]) => `<m:${name}>${children.join('')}</m:${name}>`;
  const r = (text: string) => m('r', m('t', text));
  const property = (name: string, ...values: string[]) =>
    `<m:${name}Pr>${values.map((value) => `<m:${value}/>`).join('')}</m:${name}Pr>`;
  const e = (...children: string[]) => m('e', ...children);
  const fraction = (above: string, below: string) => m('f', m('num', above), m('den', below));
  const power = (base: string, exponent: string) => m('sSup', e(base), m('sup', exponent));
  const index = (base: string, sub: string) => m('sSub', e(base), m('sub', sub));

  it.each([
    [
      'a fraction',
      r('u=') + fraction(r('hours worked'), r('hours available')),
      'u=(hours worked)/(hours available)',
    ],
    [
      'powers and indices',
      r('K=') + index(r('K'), r('0')) + power(m('d', e(r('1+') + fraction(r('p'), r('100')))), r('n')),
      'K=K_0(1+p/100)^n',
    ],
    ['numbers apart', r('2') + fraction(r('1'), r('2')) + r('h'), '2 1/2 h'],
    ['letters as typed', r('𝐸=𝑚') + power(r('𝑐'), r('2')), 'E=mc^2'],
    [
      'scripts of several parts',
      index(r('x'), r('i+1')) + r('y') + power(r('e'), r('-kt')),
      'x_(i+1)ye^(-kt)',
    ],
    [
      'roots',
      m('rad', property('rad', 'degHide m:val="1"'), m('deg'), e(r('x+1'))) +
        m('rad', m('deg', r('3')), e(r('y'))),
      '√(x+1)√[3]y',
    ],
    [
      'sums and integrals',
      m(
        'nary',
        property('nary', 'chr m:val="∑"'),
        m('sub', r('i=1')),
        m('sup', r('n')),
        e(index(r('x'), r('i'))),
      ) +
        r('+') +
        m('nary', m('sub', r('0')), m('sup', r('∞')), e(r('f'))),
      '∑_(i=1)^n x_i+∫_0^∞ f',
    ],
    [
      'matrices',
      m(
        'd',
        property('d', 'begChr m:val="["', 'endChr m:val="]"'),
        e(m('m', m('mr', e(r('a')), e(r('b'))), m('mr', e(r('c')), e(r('d'))))),
      ),
      '[a, b; c, d]',
    ],
    [
      'functions and limits',
      m('func', m('fName', m('limLow', e(r('lim')), m('lim', r('n→∞')))), e(r('x'))) +
        m('func', m('fName', r('sin')), e(r('x'))),
      'lim_(n→∞) x sin x',
    ],
    ['accents', m('acc', property('acc', 'chr m:val="\u0303"'), e(r('n'))), 'n\u0303'],
    [
      'binomials',
      m('d', e(m('f', property('f', 'type m:val="noBar"'), m('num', r('n')), m('den', r('k'))))),
      '(n¦k)',
    ],
    ['degrees', power(r('45'), r('∘')), '45°'],
    ['lines', m('eqArr', e(r('a&amp;=b')), e(r('c&amp;=d'))), 'a=b; c=d'],
  ])('%s', async (_, equation, text) => {
    expect((await textOf(paragraph(m('oMath', equation)))).normalize('NFC')).toBe(text.normalize('NFC'));
  });

  it('of one paragraph stand below each other', async () => {
    const body = paragraph(m('oMathPara', m('oMath', r('a=b')), m('oMath', r('c=d'))));
    expect(await textOf(body)).toBe('a=b\nc=d');
  });
});
