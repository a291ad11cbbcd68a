/** Markdown becomes a tree, and the marks of its source stand at the same words. */
import type { Nodes } from 'mdast';
import { expect, test } from 'vitest';
import { looksLikeMarkdown, marksWithin, parseMarkdown } from './markdown.ts';
import { toPieces } from './pieces.ts';

/** The nodes of a type, in their order. */
const find = (node: Nodes | undefined, type: string): Nodes[] =>
  node === undefined
    ? []
    : [
        ...(node.type === type ? [node] : []),
        ...('children' in node ? node.children.flatMap((child) => find(child, type)) : []),
      ];

/** The marked pieces of the texts of a source in which `word` is marked wherever it stands. */
function markedIn(source: string, word: string): string[] {
  const marks = [...source.matchAll(new RegExp(word, 'gu'))].map(({ index }) => ({
    start: index,
    end: index + word.length,
  }));
  return find(parseMarkdown(source), 'text').flatMap((node) => {
    if (node.type !== 'text') return [];
    const within = marksWithin(node.value, source, node.position?.start.offset ?? 0, marks);
    return toPieces(node.value, within).flatMap(({ text, isMarked }) => (isMarked ? [text] : []));
  });
}

test.each([
  ['a **hotel** and a hotel', ['hotel', 'hotel']],
  ['> a quote of a\n> hotel, and\n> > a hotel', ['hotel', 'hotel']],
  ['- one\n  hotel\n- a \\* hotel &amp; hotel', ['hotel', 'hotel', 'hotel']],
  ['| a | hotel |\n|---|---|\n| x | \\| hotel |', ['hotel', 'hotel']],
  ['nothing', []],
])('the marks of %j', (source, marked) => expect(markedIn(source, 'hotel')).toEqual(marked));

test('marks of characters beyond the Basic Multilingual Plane stay whole', () => {
  expect(markedIn('**😀** 酒店 😀', '😀')).toEqual(['😀', '😀']);
});

test('HTML and indentation are text', () => {
  const root = parseMarkdown('<script>alert(1)</script> <img src=x onerror=y>\n\n    indented');
  expect(new Set(root?.children.map(({ type }) => type))).toEqual(new Set(['paragraph']));
  expect(find(root, 'html')).toEqual([]);
});

test('what would take a browser long is no tree', () => {
  expect(parseMarkdown('a '.repeat(2_501))).toBeUndefined();
  expect(parseMarkdown(`${'> '.repeat(200)}a`)).toBeUndefined();
  expect(parseMarkdown('a_*'.repeat(300))).toBeUndefined();
  expect(parseMarkdown('*a* **b** '.repeat(50))).toBeDefined();
});

test.each([
  ['# Heading\n\ntext', true],
  ['| a | b |\n|---|---|', true],
  ['- one\n- two', true],
  ['see [this](https://example.com)', true],
  ['Lunch is at noon. Bring 2 * 3 plates - or 4 #.', false],
  ['Item | Price', false],
])('%j looks like Markdown: %s', (text, isMarkdown) => expect(looksLikeMarkdown(text)).toBe(isMarkdown));
