/** Texts of several files become one, whose ranges still name the same words. */
import { expect, test } from 'vitest';
import { scanMarkdown } from '../../../indexing/split/markdown.ts';
import { TEXT_MAX_LENGTH } from '../../extraction-limits.ts';
import { joinParts } from './join-parts.ts';

test('headings, tables, code and pages move with their text, headings deeper', () => {
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
  expect(pages.map(({ offset, page }) => [page, text.slice(offset).split('\n')[0]])).toEqual([
    [undefined, 'First.'],
    [1, 'plans/ a.md'],
    [1, '# Term'],
  ]);
});

test('times are those of the file below whose title they stand, and end with it', () => {
  const joiner = joinParts();
  const talk = {
    ...scanMarkdown('Hello.\nThe gauge.'),
    times: [0, 7].map((offset) => ({ offset, seconds: offset + 1 })),
  };
  joiner.add(talk, { level: 1, title: 'talk.srt' });
  joiner.add(scanMarkdown('Notes.'), { level: 1, title: 'notes.md' });
  const { text, times = [] } = joiner.finish();
  expect(times.map(({ offset, seconds }) => [seconds, text.slice(offset).split('\n')[0]])).toEqual([
    [1, 'talk.srt'],
    [1, 'Hello.'],
    [8, 'The gauge.'],
    [undefined, 'notes.md'],
  ]);
});

test('what does not fit is refused', () => {
  const joiner = joinParts();
  joiner.add({ text: 'x'.repeat(TEXT_MAX_LENGTH - 1000), headings: [], pages: [], verbatim: [], tables: [] });
  expect([joiner.fits(500), joiner.fits(1000)]).toEqual([true, false]);
  expect(() => joiner.add(scanMarkdown('x'.repeat(2000)))).toThrow('longer than');
});
