/** Entries and headings have the numbers that office programs show. */
import { expect, test } from 'vitest';
import type { ExtractedFile } from '../../../../extracted-file.ts';
import { type OdfParts, odfOf, paragraph as p } from '../../../../testing/odf-files.ts';
import { extractOdfDocument } from '../odf-document.ts';

const readText = (parts: OdfParts): Promise<ExtractedFile> => extractOdfDocument(odfOf('text', parts), 'odt');
const textOf = async (parts: OdfParts): Promise<string> => (await readText(parts)).extracted.text;

const level = (n: number, attributes: string) =>
  `<text:list-level-style-number text:level="${n}" ${attributes}/>`;
const automatic =
  `<text:list-style style:name="L1">${level(1, 'style:num-format="1" style:num-suffix="."')}` +
  `${level(2, 'style:num-format="1" style:num-suffix="." text:display-levels="2"')}` +
  `${level(3, 'style:num-format="a" style:num-prefix="(" style:num-suffix=")"')}</text:list-style>` +
  `<text:list-style style:name="L2"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/>` +
  `</text:list-style>` +
  `<text:list-style style:name="L3">${level(1, 'style:num-format="I" loext:num-list-format="Part %1%:"')}` +
  '</text:list-style>' +
  `<text:list-style style:name="L4">${level(1, 'style:num-format="1" text:start-value="5"')}` +
  `${level(2, 'style:num-format=""')}</text:list-style>` +
  `<text:list-style style:name="L5">${[
    '01, 02, 03, ..." style:num-prefix="§ ',
    '一, 二, 三, ..." style:num-suffix=")',
    '①, ②, ③, ...',
  ]
    .map((format, i) => level(i + 1, `style:num-format="${format}" text:start-value="5"`))
    .join('')}</text:list-style>` +
  '<style:style style:name="P1" style:family="paragraph" style:list-style-name="L1"/>' +
  '<style:style style:name="P2" style:family="paragraph">' +
  '<style:paragraph-properties text:enable-numbering="false"/></style:style>';
const item = (content: string, attributes = '') =>
  `<text:list-item ${attributes}>${content}</text:list-item>`;
const list = (attributes: string, ...items: string[]) =>
  `<text:list ${attributes}>${items.join('')}</text:list>`;
const L1 = 'text:style-name="L1"';

test.each([
  [
    'levels',
    list(
      L1,
      item(
        p('Term') +
          list(
            '',
            item(p('The lease begins')),
            item(p('It ends') + list('', item(p('rain')), item(p('fog')))),
          ),
      ),
      item(p('Rent') + list('', item(p('It is due')))),
    ),
    '1. Term\n1.1. The lease begins\n1.2. It ends\n(a) rain\n(b) fog\n2. Rent\n2.1. It is due',
  ],
  ['bullets', list('text:style-name="L2"', item(p('veil')), item(p('gloves'))), '- veil\n- gloves'],
  ['templates', list('text:style-name="L3"', item(p('One')), item(p('Two'))), 'Part I: One\nPart II: Two'],
  [
    'start values',
    list('text:style-name="L4"', item(p('a')), item(p('b'), 'text:start-value="9"'), item(p('c'))),
    '5 a\n9 b\n10 c',
  ],
  [
    'formats that are named by their sequences',
    list('text:style-name="L5"', item(p('a') + list('', item(p('b') + list('', item(p('c'))))))),
    '§ 05 a\n五) b\n⑤ c',
  ],
  ['a level without a number', list('text:style-name="L4"', item(list('', item(p('a'))))), 'a'],
  [
    'further paragraphs',
    list(L1, item(p('a') + p('b')), `<text:list-header>${p('c')}</text:list-header>`, item(p('d'))),
    '1. a\n\nb\n\nc\n\n2. d',
  ],
  ['a list that begins again', list(L1, item(p('a'))) + list(L1, item(p('b'))), '1. a\n1. b'],
  [
    'a list that goes on',
    list(L1, item(p('a'))) + p('x') + list(`${L1} text:continue-numbering="true"`, item(p('b'))),
    '1. a\n\nx\n\n2. b',
  ],
  [
    'a list that another one interrupts',
    list(`${L1} xml:id="one"`, item(p('a'))) +
      list(L1, item(p('b'))) +
      list(`${L1} text:continue-list="one"`, item(p('c'))),
    '1. a\n1. b\n2. c',
  ],
  [
    'a list that goes on at its second level',
    list(L1, item(p('a') + list('', item(p('b'))))) +
      p('x') +
      list(`${L1} text:continue-numbering="true"`, item(list('', item(p('c')))), item(p('d'))),
    '1. a\n1.1. b\n\nx\n\n1.2. c\n2. d',
  ],
  [
    'paragraphs that state their list',
    [1, 2, 2, 1]
      .map(
        (n) =>
          `<text:numbered-paragraph text:list-id="n" text:level="${n}" ${L1}>${p('a')}</text:numbered-paragraph>`,
      )
      .join(''),
    '1. a\n1.1. a\n1.2. a\n2. a',
  ],
  [
    'two lists in one entry',
    list(L1, item(p('a') + list('', item(p('b'))) + list('', item(p('c'))))),
    '1. a\n1.1. b\n1.1. c',
  ],
  ['the style of a paragraph', list('', item('<text:p text:style-name="P1">a</text:p>')), '1. a'],
  [
    'a paragraph without its number',
    list(L1, item('<text:p text:style-name="P2">a</text:p>'), item(p('b'))),
    'a\n\n1. b',
  ],
  ['numbers that are written', list('', item(`<text:number>§ 7</text:number>${p('a')}`)), '§ 7 a'],
])('%s', async (_what, body, text) => expect(await textOf({ body, automatic })).toBe(text));

test('numbers of headings', async () => {
  const outline = (n: number, format: string) =>
    `<text:outline-level-style text:level="${n}" style:num-format="${format}" text:display-levels="${n}"/>`;
  const styles =
    `<office:styles>` +
    `<text:outline-style style:name="Outline">${outline(1, '1')}${outline(2, '1')}</text:outline-style>` +
    '<style:style style:name="Plain" style:family="paragraph" style:list-style-name=""/></office:styles>';
  const h = (n: number, content: string, attributes = '') =>
    `<text:h text:outline-level="${n}" ${attributes}>${content}</text:h>`;
  const body =
    h(1, 'Scope') +
    h(2, 'Terms') +
    h(2, 'Places') +
    h(1, 'Foreword', 'text:is-list-header="true"') +
    h(1, 'Duties') +
    h(2, 'Of guests') +
    h(1, 'Index', 'text:style-name="Plain"') +
    h(1, '<text:number>IX</text:number>End');
  const { headings } = (await readText({ body, styles })).extracted;
  expect(headings.map(({ text }) => text)).toEqual([
    '1 Scope',
    '1.1 Terms',
    '1.2 Places',
    'Foreword',
    '2 Duties',
    '2.1 Of guests',
    'Index',
    'IX End',
  ]);
});
