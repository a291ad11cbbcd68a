/** A superscript leaves the word before it whole, whatever it is: a note's mark, a power, an ordinal. */
import { expect, test } from 'vitest';
import { extractHtml } from '../formats/html.ts';

test.each([
  ['membership<sup>3</sup> ends', 'membership [3] ends'],
  ['euros<sup>a</sup>.', 'euros [a].'],
  ['the glaze.<sup>12, 13</sup>', 'the glaze. [12, 13]'],
  ['<i>membership</i><sup><a href="#n">[3]</a></sup>', 'membership [3]'],
  ['members<sup>*</sup>', 'members [*]'],
  ['会員<sup>3</sup>の', '会員 [3]の'],
  ['10<sup>3</sup> and 10<sup>-3</sup>', '10^3 and 10^(-3)'],
  ['(1+p)<sup>n</sup>', '(1+p)^n'],
  ['40 m<sup>2</sup>, 3 km<sup>2</sup>', '40 m², 3 km²'],
  ['e<sup>-kt</sup>', 'e^(-kt)'],
  ['the 1<sup>st</sup>, le XX<sup>e</sup>, M<sup>me</sup> Roux', 'the 1st, le XXe, Mme Roux'],
  ['Loctite<sup>TM</sup>, 20<sup>°</sup>', 'Loctite™, 20°'],
  ['<p><sup>3</sup> See below', '3 See below'],
  ['word <sup>3</sup>', 'word 3'],
  ['<sup>14</sup>C, H<sub>2</sub>O', '14C, H2O'],
  ['a<sup></sup>b', 'ab'],
  ['hen.<sup>[3]</sup><sup>[4]</sup><sup>: 210</sup>', 'hen. [3] [4]: 210'],
  [
    '(Latvia)<sup>[50]</sup>, in 1973<sup>53</sup>, (2031)<sup>12</sup>',
    '(Latvia) [50], in 1973 [53], (2031) [12]',
  ],
  ['1,250<sup>a</sup>, 47<sup>b</sup>, 2<sup>10</sup>', '1,250 [a], 47 [b], 2^10'],
])('%s', (html, text) => expect(extractHtml(html).text).toBe(text));
