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
      'a table in a cell has rows of its own',
      '<table><tr><td>A<td>B<tr><td>C<td><table><tr><td>1<td>2<tr><td>3<td>4</table><td>D</table>',
      'A | B\nC\n1 | 2\n3 | 4\n\nD',
    ],
    [
      'a cell of several paragraphs ends its row',
      '<table><tr><td><p>a</p><p>b</p><td><p>c</table>',
      'a\n\nb\n\nc',
    ],
    ['preformatted text keeps its lines', '<pre>\na\n  b\n\nc</pre>', 'a\n  b\n\nc'],
    [
      'scripts and styles are left out',
      'a<script>b</script><style>c</style><template>d</template><!-- e -->',
      'a',
    ],
    [
      'a form shows what is typed, chosen and ticked',
      '<form><label>Name<input value=Ida></label><input type=hidden value=token><input type=password value=p>' +
        '<select><option>Red<option selected>Blue</select><label><input type=checkbox checked>Lunch</label>' +
        '<label><input type=RADIO>Tea</label><textarea>No nuts</textarea>a<button>Go</button>b' +
        '<input role=button type=checkbox></form>',
      'Name Ida Blue ☒ Lunch ☐ Tea No nuts a b',
    ],
    ['a hidden form is none', '<p>a<span hidden><input value=x><textarea>y</textarea></span>b', 'ab'],
    ['a dialog is shown where it is open', '<dialog>a</dialog><dialog open>b</dialog>', 'b'],
    [
      'hidden elements are left out',
      'a<div hidden>b</div><div aria-hidden="true">c</div><p style="display: none">d</p>',
      'a',
    ],
    ['ruby pronunciation is left out', '<ruby>東<rp>(</rp><rt>とう</rt>京<rt>きょう</rt></ruby>', '東京'],
    ['navigation is left out', '<nav>menu</nav><div role="navigation">menu</div><p>text', 'text'],
    [
      'a logo and a label in a page’s header and footer are left out',
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

  const menu = '<ul><li><a href="/a">Home</a><li><a href="/b">Products</a><li><a href="/c">Imprint</a></ul>';
  const contents = '<ul><li><a href="#a">Safety</a><li><a href="#b">Cleaning</a></ul>';
  const parts: [reason: string, html: string, text: string][] = [
    [
      'a box beside the text is kept',
      '<p>Close the lid.</p><aside class="caution"><p>Burns!</p></aside><p>Wait.</p>',
      'Close the lid.\n\nBurns!\n\nWait.',
    ],
    ['a box with a link is kept', '<aside>See <a href="/x">the guide</a></aside>a', 'See the guide\n\na'],
    ['a box of links is left out', `<p>a</p><aside><h3>More</h3>${menu}</aside>`, 'a'],
    [
      'a table of contents beside the text is kept',
      `<aside>${contents}</aside>a`,
      '- Safety\n- Cleaning\n\na',
    ],
    [
      'an address in the footer is kept, its links are left out',
      `<p>a</p><footer>${menu}<p>Mill Lane 5, Dover</p><p>© Acme</p></footer>`,
      'a\n\nMill Lane 5, Dover',
    ],
    [
      'a foot has a role in older pages',
      `a<div role="contentinfo">${menu}Open on weekdays only</div>`,
      'a\n\nOpen on weekdays only',
    ],
    [
      'a menu by its name is left out',
      `<div class="mainMenu">${menu}</div><div id="nav_left">${menu}</div>a`,
      'a',
    ],
    [
      'a foot by its name keeps its sentences',
      `a<div class="foot">${menu}<p>We ship on weekdays.</div>`,
      'a\n\nWe ship on weekdays.',
    ],
    [
      'a menu is kept where it is all that a page has',
      `<h1>Links</h1><nav>${menu}</nav>`,
      'Links\n\n- Home\n- Products\n- Imprint',
    ],
    [
      'the source of a quotation is kept',
      '<blockquote>So it is.<footer>Ann Berg</footer></blockquote>',
      'So it is.\n\nAnn Berg',
    ],
    ['a menu of dishes is no menu', '<div class="menu"><p>Soup<p>Stew</div>', 'Soup\n\nStew'],
    [
      'links that are the content are kept',
      `<h1>Links</h1>${menu}`,
      'Links\n\n- Home\n- Products\n- Imprint',
    ],
    [
      'a menu by its name inside the main part is kept',
      `<main><div class="menu">${menu}</div></main>`,
      '- Home\n- Products\n- Imprint',
    ],
  ];
  it.each(parts)('%s', (_reason, html, text) => expect(textOf(html)).toBe(text));

  const titles: [reason: string, html: string, text: string][] = [
    ['a title is the first heading', '<title>Kiln\n manual</title><h1>Firing</h1>', 'Kiln manual\n\nFiring'],
    ['a title is written once', '<title>Kiln: manual</title><h1>KILN Manual</h1>', 'KILN Manual'],
    ['a heading may say more', '<title>Kiln</title><h1>Kiln manual</h1>', 'Kiln manual'],
    ['a title may say more', '<title>Refunds | Shop</title><h1>Refunds</h1>', 'Refunds | Shop\n\nRefunds'],
    ['the first line may be the title', '<title>Kiln</title><p><b>Kiln</b></p><h2>Lid</h2>', 'Kiln\n\nLid'],
    ['a drawing’s title is another', '<svg><title>x</title></svg><p>a</p><title>Kiln</title>', 'Kiln\n\na'],
    ['a page without text has none', '<title>App</title><div id="root"></div>', ''],
  ];
  it.each(titles)('%s', (_reason, html, text) => expect(textOf(html)).toBe(text));

  it('leaves out a title that the reader of a mail does not see', () => {
    expect(extractHtml('<title>Template 3</title>a', { hasTitle: false }).text).toBe('a');
  });

  const shown: [reason: string, html: string, text: string][] = [
    [
      'a picture has a description',
      '<p>Press <img alt="Start">.</p><img alt=""><img alt="IMG_1.jpg">',
      'Press Start .',
    ],
    ['a hidden picture has none', '<img alt="a" aria-hidden="true"><img alt="b" hidden>c', 'c'],
    ['what stands raised is a superscript', 'euros<span style="vertical-align: super">a</span>', 'euros [a]'],
    ['marks of notes are superscripts', 'glaze<a role="doc-noteref" href="#n">12</a>.', 'glaze [12].'],
    ['a superscript in a mark counts once', 'glaze<a role="doc-noteref"><sup>12</sup></a>.', 'glaze [12].'],
    [
      'a button in a heading is its text',
      '<h3><button>When?</button></h3><p>Now.<button>Go</button>',
      'When?\n\nNow.',
    ],
    [
      'lists count in letters and numerals',
      '<ol type="a" start="2"><li>x<li>y</ol><ol type=I><li>z</ol>',
      'b. x\nc. y\n\nI. z',
    ],
    ['entries count from their values', '<ol><li>x<li value="7">y<li>z</ol>', '1. x\n7. y\n8. z'],
    ['lists may count down', '<ol reversed start="2"><li>x<li>y</ol>', '2. x\n1. y'],
    [
      'a class may raise text',
      '<style>p{color:red} @media all {.x, span.up{vertical-align: super}}</style>glaze' +
        '<b class="up x">1</b> b<i class="p">3</i>',
      'glaze [1] b3',
    ],
    ['a link to a note is a superscript', 'glaze<a href="#n"><span>12</span></a>.', 'glaze [12].'],
    ['a link inside a word is none', 'pre<a href="#n">fix</a> <a href="#n">2</a>', 'prefix 2'],
    [
      'a note is apart from its mark',
      '<p> <a href="#n">1</a>Except<p><sup>2</sup>Except<p><a href="#r3">3</a>. Except',
      '1 Except\n\n2 Except\n\n3. Except',
    ],
    [
      'a link to its heading, or back from a note, is no text',
      '<h2>Fees<a href="#fees">¶</a></h2><p>In June. <a href="#r1">↩\ufe0e</a>',
      'Fees\n\nIn June.',
    ],
    ['isotopes stay together', '<sup>14</sup>C', '14C'],
    [
      'a term stays with its definition',
      '<dl><dt>Lid<dd><p>Closes.<p>Often.<dt>Bell<dd>Rings.</dl>',
      'Lid\nCloses.\n\nOften.\n\nBell\nRings.',
    ],
    [
      'a drawing shows its text',
      '<svg><title>t</title><desc>d</desc><text>A <tspan>b</tspan></text><text>C</text></svg>',
      'A b\nC',
    ],
    ['an equation is text', 'u <math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>.', 'u a/b.'],
    [
      'an equation that is hidden below its picture comes once',
      '<span class="mwe-mathml" style="display: none"><math><mi>E</mi></math></span><img alt="{E}" aria-hidden="true">',
      'E',
    ],
    ['a page in a frame is read', '<iframe srcdoc="&lt;p>a&lt;/p>"></iframe>b', 'a\n\nb'],
    ['what is for browsers without scripts', '<noscript>a</noscript>', 'a'],
    ['and only for those', '<noscript>a</noscript>b', 'b'],
    ['soft breaks do not part words', 'Dampf&shy;schiff<wbr>fahrt', 'Dampf\u00adschifffahrt'],
  ];
  it.each(shown)('%s', (_reason, html, text) => expect(textOf(html)).toBe(text));

  it('returns headings, code and tables with their offsets', () => {
    const html =
      '<title>A &amp; B</title><h1>One <i>more</i></h1><pre># no heading</pre>' +
      '<table><tr><th>x<th>y<tr><td>1<td>2</table><h3>Three</h3>';
    const { text, headings, verbatim, tables } = extractHtml(html);
    const slice = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
    expect(headings.map(({ level, text: words }) => [level, words])).toEqual([
      [1, 'A & B'],
      [1, 'One more'],
      [3, 'Three'],
    ]);
    expect(headings.map(slice)).toEqual(['A & B', 'One more', 'Three']);
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
