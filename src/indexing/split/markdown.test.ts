/** The headings and blocks of Markdown. */
import { describe, expect, it } from 'vitest';
import { scanMarkdown } from './markdown.ts';

const headingsOf = (text: string) =>
  scanMarkdown(text).headings.map(({ level, text: words }) => [level, words]);

describe('scanMarkdown', () => {
  const found: [reason: string, text: string, headings: [number, string][]][] = [
    [
      'ATX headings have their level',
      '# One\n## Two',
      [
        [1, 'One'],
        [2, 'Two'],
      ],
    ],
    ['closing # are markup', '## Two ##', [[2, 'Two']]],
    ['emphasis, code and links are markup', '# **A** `b` [c](http://d)', [[1, 'A b c']]],
    [
      'setext headings are underlined',
      'One\n===\n\nTwo\n---\n',
      [
        [1, 'One'],
        [2, 'Two'],
      ],
    ],
    ['Windows line ends are line ends', '# One\r\n\r\ntext\r\n', [[1, 'One']]],
  ];
  it.each(found)('%s', (_reason, text, headings) => expect(headingsOf(text)).toEqual(headings));

  const notFound: [reason: string, text: string][] = [
    ['a hashtag has no space', '#hashtag'],
    ['a comment in a code fence is code', '```sh\n# comment\n```'],
    ['an unclosed fence reaches to the end', '~~~\n# comment'],
    ['a shorter fence closes nothing', '````\n```\n# comment\n````'],
    ['seven # are none', '####### seven'],
    ['four blanks are code', '    # code'],
    ['a rule after a list entry underlines nothing', '- entry\n---'],
    ['a rule after a paragraph underlines nothing', 'two\nlines\n---'],
    ['front matter is no heading', '---\ntitle: x\n---\n'],
    ['a paragraph after # is no heading', `# ${'word '.repeat(50)}`],
  ];
  it.each(notFound)('%s', (_reason, text) => expect(headingsOf(text)).toEqual([]));

  it('gives ranges of headings, fences and tables in the text as it is', () => {
    const text = '# Title\n\n```js\n\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend';
    const { headings, verbatim, tables } = scanMarkdown(text);
    const slice = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
    expect(headings.map(slice)).toEqual(['# Title']);
    expect(verbatim.map(slice)).toEqual(['```js\n\ncode\n```']);
    expect(tables.map(slice)).toEqual(['| a | b |\n|---|---|\n| 1 | 2 |']);
    expect(tables[0]?.header).toBe('| a | b |');
  });
});
