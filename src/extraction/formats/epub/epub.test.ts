/** Books of EPUB 2 and 3 have all their chapters, with their notes, boxes and titles, or a warning. */
import { describe, expect, it } from 'vitest';
import { writeZip, type ZipEntry } from '../../testing/write-zip.ts';
import { extractEpub } from './epub.ts';

type Chapter = { name: string; content: string; properties?: string; mediaType?: string; fallback?: string };

const page = (body: string, title = 'Herb garden') =>
  '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">' +
  `<head><title>${title}</title></head><body>${body}</body></html>`;

/** A book of these chapters; `others` stand in it without being chapters. */
function bookOf(chapters: Chapter[], { title = '', others = [] as Chapter[] } = {}): ZipEntry[] {
  const item = ({ name, properties = '', mediaType = 'application/xhtml+xml', fallback = '' }: Chapter) =>
    `<item id="${name}" href="${name}" media-type="${mediaType}" properties="${properties}" fallback="${fallback}"/>`;
  return [
    { name: 'mimetype', content: 'application/epub+zip', isStored: true },
    { name: 'META-INF/container.xml', content: '<container><rootfile full-path="book/b.opf"/></container>' },
    {
      name: 'book/b.opf',
      content:
        `<package><metadata xmlns:dc="d"><dc:title>${title}</dc:title><dc:title>2</dc:title></metadata><manifest>` +
        `${[...chapters, ...others].map(item).join('')}</manifest>` +
        `<spine>${chapters.map(({ name }) => `<itemref idref="${name}"/>`).join('')}</spine></package>`,
    },
    ...[...chapters, ...others].map(({ name, content }) => ({ name: `book/${name}`, content })),
  ];
}

const textOf = async (entries: ZipEntry[]) => (await extractEpub(writeZip(entries))).extracted.text;

describe('extractEpub', () => {
  it('keeps notes, boxes and the columns of tables', async () => {
    const content = page(
      '<h1>Mint</h1><p>Mint spreads quickly<a epub:type="noteref" href="#n"><sup>1</sup></a>.</p>' +
        '<aside id="n" epub:type="footnote" role="doc-footnote"><p>Use a pot.</p></aside><table><tr>' +
        '<td rowspan="2">Herbs</td><td>Sage</td></tr><tr><td>Thyme</td></tr></table>' +
        '<aside><p>Pick leaves before noon.</p></aside>',
    );
    expect(await textOf(bookOf([{ name: 'a.xhtml', content }]))).toBe(
      'Mint\n\nMint spreads quickly [1].\n\nUse a pot.\n\nHerbs | Sage\nHerbs | Thyme\n\nPick leaves before noon.',
    );
  });

  it('parts no sentence by a note, its mark, or the number of a printed page', async () => {
    const content = page(
      '<p>Mint<a epub:type="noteref" href="#n">a</a> spreads<aside epub:type="footnote">Use a <b>pot</b>.</aside> ' +
        'very <span epub:type="pagebreak">12</span>quickly.</p><p>Sage does not.</p>',
    );
    expect(await textOf(bookOf([{ name: 'a.xhtml', content }]))).toBe(
      'Mint [a] spreads very quickly.\n\nUse a pot.\n\nSage does not.',
    );
  });

  it('follows the style sheets of the book for superscripts', async () => {
    const content = page('<p>Mint spreads<span class="CharOverride-1">1</span> quickly.</p>');
    const style = {
      name: 'a.css',
      content: 'span.CharOverride-1 {\n vertical-align:super;\n}',
      mediaType: 'text/css',
    };
    expect(await textOf(bookOf([{ name: 'a.xhtml', content }], { others: [style] }))).toBe(
      'Mint spreads [1] quickly.',
    );
  });

  it('keeps what a web page has as navigation beside its text', async () => {
    const content = page('<header>Part one</header><p>Sage.</p><footer>The end</footer>');
    expect(await textOf(bookOf([{ name: 'a.xhtml', content }]))).toBe('Part one\n\nSage.\n\nThe end');
  });

  const chapters = ['Mint', 'Sage'].map((herb) => ({
    name: `${herb}.xhtml`,
    content: page(`<p>It grows.</p>`),
  }));
  const entries = '<a href="Mint.xhtml">Mint</a><a href="Mint.xhtml#b">More</a><a href="Sage.xhtml">Sage</a>';
  const nav = {
    name: 'nav.xhtml',
    properties: 'nav',
    content: page(`<nav epub:type="toc"><h1>Contents</h1>${entries}</nav>`),
  };
  const point = (herb: string) =>
    `<navPoint><navLabel><text>${herb}</text></navLabel><content src="${herb}.xhtml#top"/></navPoint>`;
  const ncx = {
    name: 'toc.ncx',
    mediaType: 'application/x-dtbncx+xml',
    content: `<ncx><docTitle><text>Herbs</text></docTitle><navMap>${point('Mint')}${point('Sage')}</navMap></ncx>`,
  };

  it.each([
    ['EPUB 3', [nav], chapters],
    ['EPUB 3 that is a chapter itself', [], [nav, ...chapters]],
    ['EPUB 2', [ncx], chapters],
  ])('names chapters without headings by the table of contents of %s', async (_version, others, spine) => {
    const book = bookOf(spine, { title: 'Herb garden', others });
    const { extracted } = await extractEpub(writeZip(book));
    expect(extracted.text).toBe('Herb garden\n\nMint\n\nIt grows.\n\nSage\n\nIt grows.');
    expect(extracted.headings.map(({ text, level }) => [text, level])).toEqual([
      ['Herb garden', 1],
      ['Mint', 1],
      ['Sage', 1],
    ]);
  });

  it.each([
    ['a heading', '<h2>1</h2><p>It grows.</p>', '1\n\nIt grows.'],
    ['its title as first line', '<p>Mint</p><p>It grows.</p>', 'Mint\n\nIt grows.'],
    ['pictures only', '<p><img alt=""/></p>', ''],
  ])('writes no other title above a chapter with %s', async (_what, body, text) => {
    const chapter = { name: 'Mint.xhtml', content: page(body) };
    expect(await textOf(bookOf([chapter], { others: [nav] }))).toBe(text);
  });

  it('reads the page that stands for a picture, and no picture', async () => {
    const picture = { name: 'p.png', content: '\x89PNG', mediaType: 'image/png' };
    const described = { ...picture, name: 'q.png', fallback: 'a.xhtml' };
    const text = { name: 'a.xhtml', content: page('<p>Sage.</p>') };
    expect(await textOf(bookOf([picture, described], { others: [text] }))).toBe('Sage.');
  });

  it('warns of chapters that are damaged or missing', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `${i}.xhtml`);
    const all = bookOf(names.map((name) => ({ name, content: page(`<p>Chapter ${name}</p>`.repeat(50)) })));
    const archive = writeZip(all.filter(({ name }) => !/[3-7]\.xhtml$/.test(name)));
    const packed = archive.indexOf('book/1.xhtml') + 'book/1.xhtml'.length;
    const { extracted, warnings } = await extractEpub(archive.fill(0xff, packed, packed + 20));
    expect([...new Set(extracted.text.split('\n\n'))]).toEqual(['Chapter 0.xhtml', 'Chapter 2.xhtml']);
    const listed = [1, 3, 4, 5, 6].map((i) => `“book/${i}.xhtml”`).join(', ');
    const message = `Chapters were not read, because they are damaged or missing: ${listed} and 1 more.`;
    expect(warnings).toEqual([{ code: 'PARTS_NOT_READ', message }]);
  });
});
