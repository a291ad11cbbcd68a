/** Texts of several files become one, whose ranges still name the same words. */
import { expect, test } from 'vitest';
import { scanMarkdown } from '../../../indexing/split/markdown.ts';
import { TEXT_MAX_LENGTH } from '../../extraction-limits.ts';
import { joinParts } from './join-parts.ts';

test('headings, tables and code move with their text, headings deeper, page starts are dropped', () => {
  const part = scanMarkdown(
    '# Term\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n\n###### Deepest\n',
  );
  const joiner = joinParts();
  joiner.add(scanMarkdown('First.'));
  joiner.add({ ...part, pages: [{ offset: 0, page: 1 }] }, { level: 2, title: 'plans/\n\0a.md' });
  const { text, headings, tables, verbatim, pages } = joiner.finish();
  const words = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
  expect(text.startsWith('First.\n\nplans/ a.md\n\n# Term')).toBe(true);
  expect(headings.map((heading) => [heading.level, words(heading), heading.text])).toEqual([
    [2, 'plans/ a.md', 'plans/ a.md'],
    [3, '# Term', 'Term'],
    [6, '###### Deepest', 'Deepest'],
  ]);
  expect(tables.map(words)).toEqual(['| a | b |\n|---|---|\n| 1 | 2 |']);
  expect(verbatim.map(words)).toEqual(['```\ncode\n```']);
  expect(pages).toEqual([]);
});

test('what does not fit is refused', () => {
  const joiner = joinParts();
  joiner.add({ text: 'x'.repeat(TEXT_MAX_LENGTH - 1000), headings: [], pages: [], verbatim: [], tables: [] });
  expect([joiner.fits(500), joiner.fits(1000)]).toEqual([true, false]);
  expect(() => joiner.add(scanMarkdown('x'.repeat(2000)))).toThrow('longer than');
});
