/** Only the visible text of a page is extracted, with its structure. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractHtml } from './html.ts';

const textOf = (html: string) => extractHtml(html).text.trim();

describe('extractHtml', () => {
  const rendered: [reason: string, html: string, text: string][] = [
    ['blocks are paragraphs', '<p>one</p><div>two</div>three', 'one\n\ntwo\n\nthree'],
    ['unclosed paragraphs are paragraphs', '<p>one<p>two', 'one\n\ntwo'],
    ['white space collapses', '<p>\n one\t <b>two</b>\n</p>', 'one two'],
    ['inline elements do not break words', 'one<b>two</b>', 'onetwo'],
    ['br ends a line', 'one<br>two', 'one\ntwo'],
    ['entities are characters', '&eacute;&#20320;&amp;&nbsp;x', 'é你& x'],
    ['lists have markers', '<ul><li>a<li>b</ul>', '- a\n- b'],
    ['nested lists are indented', '<ul><li>a<ul><li>b</ul><li>c</ul>', '- a\n  - b\n- c'],
    [
      'entries in a cell stay apart',
      '<table><tr><th>a<th><ul><li>b<li>c</ul><tr><td><ol><li>d<li>e</ol>',
      'a | - b - c\n1. d 2. e',
    ],
    ['ordered lists are numbered', '<ol start="3"><li>a</li><li>b</li></ol>', '3. a\n4. b'],
    ['table rows are lines', '<table><tr><td>a<td>b<tr><td><td>c</table>', 'a | b\n| c'],
    [
      'a row of a table with headers is one line',
      '<table><tr><th>A<th>B<tr><td><p>a</p><p>b</p><td>c<br>d</table>',
      'A | B\na b | c d',
    ],
    ['a table without headers may be layout', '<table><tr><td><p>a</p><p>b</p></table>', 'a\n\nb'],
    [
      'a table with a paragraph in each cell has rows',
      '<table><tr><td><p>a</p></td><td><div>b</div></td></tr><tr><td><p>c</p><td><p>d</p></table><p>e',
      'a | b\nc | d\n\ne',
    ],
    [
      'a cell of several paragraphs ends its row',
      '<table><tr><td><p>a</p><p>b</p><td><p>c</table>',
      'a\n\nb\n\n | c',
    ],
    ['preformatted text keeps its lines', '<pre>\na\n  b\n\nc</pre>', 'a\n  b\n\nc'],
    [
      'scripts and styles are left out',
      'a<script>b</script><style>c</style><template>d</template><!-- e -->',
      'a',
    ],
    [
      'form controls are left out',
      '<form><label>Name</label><input value=x><select><option>y</select><button>Go</button></form>',
      'Name',
    ],
    [
      'hidden elements are left out',
      'a<div hidden>b</div><div aria-hidden="true">c</div><p style="display: none">d</p>',
      'a',
    ],
    ['ruby pronunciation is left out', '<ruby>東<rp>(</rp><rt>とう</rt>京<rt>きょう</rt></ruby>', '東京'],
    ['navigation is left out', '<nav>menu</nav><div role="navigation">menu</div><p>text', 'text'],
    [
      'a page’s header, footer and asides are left out',
      '<header>logo</header><main>text<aside>note</aside></main><footer>c</footer>',
      'text\n\nnote',
    ],
    [
      'headings in the page’s header are kept',
      '<header><a>logo</a><h1>Name</h1></header><p>text',
      'Name\n\ntext',
    ],
    ['the header of an article is kept', '<article><header>by me</header><p>text</article>', 'by me\n\ntext'],
    ['a page with nothing but boilerplate keeps it', '<nav>only this</nav>', 'only this'],
    [
      'an end tag in a table closes nothing around it',
      '<CENTER><table></CENTER><tr><td><b>C</b></td><td>Si</td></tr><tr><td>0.39 - 0.46</td><td>0.2</td></tr></table>',
      'C | Si\n0.39 - 0.46 | 0.2',
    ],
    [
      'the cells of a merged row keep their columns',
      '<table><tr><th>Floor<th>Room<tr><td rowspan=2>Attic<td>Ash<tr><td>Yew</table>',
      'Floor | Room\nAttic | Ash\nAttic | Yew',
    ],
    [
      'inline XBRL is a page, without the facts that it does not show',
      '<?xml version="1.0"?><!-- by a tool --><html xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"><body>' +
        '<ix:header><ix:hidden>meta</ix:hidden></ix:header>' +
        '<p>Revenue was <ix:nonFraction name="x:R" decimals="0">1,250</ix:nonFraction> euros.</p></body></html>',
      'Revenue was 1,250 euros.',
    ],
    ['an unclosed element ends with its parent', '<div><nav>menu</div><p>text', 'text'],
  ];
  it.each(rendered)('%s', (_reason, html, text) => expect(textOf(html)).toBe(text));

  it('returns headings, code and tables with their offsets', () => {
    const html =
      '<title>A &amp; B</title><h1>One <i>more</i></h1><pre># no heading</pre>' +
      '<table><tr><th>x<th>y<tr><td>1<td>2</table><h3>Three</h3>';
    const { text, headings, verbatim, tables } = extractHtml(html);
    const slice = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
    expect(text).not.toContain('A & B');
    expect(headings.map(({ level, text: words }) => [level, words])).toEqual([
      [1, 'One more'],
      [3, 'Three'],
    ]);
    expect(headings.map(slice)).toEqual(['One more', 'Three']);
    expect(verbatim.map(slice)).toEqual(['# no heading']);
    expect(tables.map((table) => [slice(table), table.header])).toEqual([['x | y\n1 | 2', 'x | y']]);
  });

  it('never throws; ranges lie in the text, in order', () => {
    const tag = fc.constantFrom(
      'p',
      'h1',
      'h2',
      'ul',
      'li',
      'table',
      'tr',
      'td',
      'th',
      'pre',
      'nav',
      'script',
      'b',
      'main',
      'br',
      'title',
      'svg',
    );
    const part = fc.oneof(
      tag.map((name) => `<${name}>`),
      tag.map((name) => `</${name}>`),
      fc.constantFrom('<', '</', '<!--', '&', '&#0;', '&#xd800;', '<p hidden', '<a b="', '\0', ' '),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const { text, headings, verbatim, tables } = extractHtml(parts.join(''));
        for (const ranges of [headings, verbatim, tables]) {
          let covered = 0;
          for (const { start, end } of ranges) {
            expect(start).toBeGreaterThanOrEqual(covered);
            expect(end).toBeGreaterThan(start);
            covered = end;
          }
          expect(covered).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 500 },
    );
  });
});
