/** Passages keep to the size limit, end at boundaries of the text, and omit nothing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBlank, packText, unpackText } from './extracted-text.ts';
import { scanMarkdown } from './markdown.ts';
import { PASSAGE_MAX_SIZE, sizeOf } from './passage-size.ts';
import { splitPassages } from './passages.ts';

const split = (text: string) => [...splitPassages(scanMarkdown(text))];
const contents = (text: string) => split(text).map((passage) => passage.text);

/** Texts of everything that the splitter distinguishes, short and long. */
const piece = fc.oneof(
  fc.constantFrom(
    '# Heading\n',
    '## Sub\n',
    '###### Deep\n',
    '\n',
    '\n\n',
    ' ',
    '\t',
    '\r\n',
    '```\n',
    '---\n',
    '|a|b|\n|-|-|\n',
  ),
  fc.constantFrom(
    '- entry\n',
    '1. entry\n',
    '| cell | cell |\n',
    '> quote\n',
    '漢字。',
    'ไทย',
    '😀',
    '👨‍👩‍👧',
    'e\u0301',
    '\u200b',
  ),
  fc.lorem({ mode: 'sentences', maxCount: 5 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .constantFrom('x', '漢', '. ', '😀', '\u0301', '- a\n', 'word ')
    .chain((unit) => fc.integer({ min: 1, max: 3000 }).map((count) => unit.repeat(count))),
);
const document = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

describe('splitPassages', () => {
  it('covers the text in order, with offsets that reproduce each passage, none over-long', () => {
    fc.assert(
      fc.property(document, (text) => {
        const codePoints = Array.from(text);
        let covered = 0;
        for (const [i, passage] of split(text).entries()) {
          expect(passage.position).toBe(i + 1);
          expect(passage.start).toBeGreaterThanOrEqual(covered);
          expect(isBlank(codePoints.slice(covered, passage.start).join(''))).toBe(true);
          expect(codePoints.slice(passage.start, passage.end).join('')).toBe(passage.text);
          expect(passage.text).toBe(passage.text.trim());
          expect(isBlank(passage.text)).toBe(false);
          expect(sizeOf(passage.text, 0, passage.text.length)).toBeLessThanOrEqual(PASSAGE_MAX_SIZE);
          covered = passage.end;
        }
        expect(isBlank(codePoints.slice(covered).join(''))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps a short text in one passage', () => {
    expect(contents('One.\n\nTwo.')).toEqual(['One.\n\nTwo.']);
  });

  it('has no passage for a text without visible characters', () => {
    expect(split(' \n\u200b\ufeff\t')).toEqual([]);
  });

  const sentence = 'This sentence has exactly sixty letters, blanks and full stop. ';
  const paragraph = sentence.repeat(10).trim();

  it('cuts between paragraphs rather than inside them', () => {
    expect(contents([paragraph, paragraph, paragraph].join('\n\n'))).toEqual([
      paragraph,
      paragraph,
      paragraph,
    ]);
  });

  it('splits between sentences, into about equal sizes', () => {
    const passages = contents(sentence.repeat(40));
    expect(passages.length).toBe(3);
    for (const passage of passages) expect(passage).toMatch(/^This .*stop\.$/s);
    const lengths = passages.map((passage) => passage.length);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(2 * sentence.length);
  });

  it('does not split hard-wrapped text at its line ends', () => {
    const wrapped = sentence.repeat(40).replaceAll(' exactly ', '\nexactly ');
    for (const passage of contents(wrapped)) expect(passage).toMatch(/^This .*stop\.$/s);
  });

  it('splits between list entries, table rows and lines of code', () => {
    const list = contents('- an entry without a full stop, and with some words\n'.repeat(60));
    const table = contents(
      `| name | value |\n|---|---|\n${'| a name | a value of some length |\n'.repeat(80)}`,
    );
    const code = contents(`\`\`\`\n${'const answer = compute(question);\n'.repeat(80)}\`\`\``);
    for (const passage of list) expect(passage).toMatch(/^- an entry.*words$/s);
    for (const passage of table) expect(passage).toMatch(/^\|.*\|$/s);
    for (const passage of code.slice(1)) expect(passage).toMatch(/^const /);
  });

  it.each(['2.1 The rent', '12.3.4 The rent'])('splits before clauses like %s', (start) => {
    const clauses = contents(
      `${start} is due in spring. It may be paid in parts of equal size.\n`.repeat(60),
    );
    expect(clauses.length).toBeGreaterThan(1);
    for (const passage of clauses) expect(passage.startsWith(start)).toBe(true);
  });

  it('gives a passage from the middle of a table the names of its columns', () => {
    const passages = split(
      `| name | value |\n|---|---|\n${'| a name | a value of some length |\n'.repeat(80)}`,
    );
    expect(passages[0]?.tableHeader).toBeUndefined();
    expect(passages[1]?.tableHeader).toBe('| name | value |');
  });

  it('does not split a code fence that fits at its blank lines', () => {
    const fence = `\`\`\`\n${'code\n\n'.repeat(100)}\`\`\``;
    expect(contents(`${paragraph}\n\n${paragraph}\n\n${fence}`)).toContain(fence);
  });

  it('begins a passage at a heading, and returns the path of headings above', () => {
    const passages = split(`# A\n\n${paragraph}\n\n## B\n\n${paragraph}\n\n# C\n\n${paragraph}`);
    expect(passages.map(({ headings }) => headings)).toEqual([['A'], ['A', 'B'], ['C']]);
    expect(passages.map(({ text }) => text.split('\n')[0])).toEqual(['# A', '## B', '# C']);
  });

  it('joins small sections of the same level, under their common path', () => {
    const [passage, ...rest] = split('# A\n\n## B\n\nshort\n\n## C\n\nshort too');
    expect(rest).toEqual([]);
    expect(passage?.headings).toEqual(['A']);
  });

  it('keeps a heading with the text after it, a last one with the text before it', () => {
    const texts = [
      `# A\n\n## B\n\n${paragraph}\n\n${paragraph}`,
      `# A\n\n${'word '.repeat(400)}`,
      `# A\n\n${'x'.repeat(5000)}`,
      `# A\n\n- ${'x'.repeat(5000)}`,
      `${paragraph}\n\n${paragraph}\n\n# The end`,
      `# A\n\n${paragraph}\n\n# B\n\n# C`,
    ];
    for (const text of texts)
      for (const passage of contents(text)) expect(passage).not.toMatch(/^(?:#+ [^\n]*\s*)+$/);
  });

  it('splits a text without any boundary between characters, not inside one', () => {
    for (const unit of ['😀', 'e\u0301', '漢', '👨‍👩‍👧']) {
      const passages = contents(unit.repeat(2000));
      expect(passages.length).toBeGreaterThan(1);
      for (const passage of passages) expect(passage.replaceAll(unit, '')).toBe('');
    }
  });

  it('returns the page on which a passage begins', () => {
    const text = [paragraph, paragraph, paragraph].join('\n\n');
    const pages = [
      { offset: 0, page: 1 },
      { offset: paragraph.length + 2, page: 2 },
    ];
    const passages = [...splitPassages({ ...scanMarkdown(text), pages })];
    expect(passages.map(({ page }) => page)).toEqual([1, 2, 2]);
  });

  /** A text of pages with their numbers. */
  const paged = (pages: string[]) => {
    const text = pages.join('\n\n');
    let offset = 0;
    const starts = pages.map((page, i) => {
      const start = { offset, page: i + 1 };
      offset += page.length + 2;
      return start;
    });
    return { ...scanMarkdown(text), pages: starts };
  };
  const pagesOf = (pages: string[]) =>
    [...splitPassages(unpackText(packText(paged(pages))))].map(({ page, later }) => [
      page,
      later?.pages ?? [],
    ]);

  it('ends a passage between two pages that fit in one, however little they say', () => {
    expect(pagesOf(['# Goals\n\nGrow.', '# Risks\n\nNone.', 'Thank you.'])).toEqual([
      [1, []],
      [2, []],
      [3, []],
    ]);
    expect(pagesOf(['Ziele', '', paragraph, '漢字。'.repeat(40)])).toEqual([
      [1, []],
      [3, []],
      [4, []],
    ]);
  });

  it('keeps a page of headings with the next one, whose start it tells in code points', () => {
    expect(pagesOf(['# 🦫 Prices', '## Rooms\n\n100 a night.'])).toEqual([[1, [[12, 2]]]]);
  });

  it('goes on over the end of a long page, and tells where the next one begins', () => {
    const pages = [
      [paragraph, paragraph],
      [sentence.repeat(3).trim(), paragraph, paragraph],
    ];
    const passages = [...splitPassages(paged(pages.map((page) => page.join('\n\n'))))];
    const spanning = passages.filter(({ later }) => later !== undefined);
    expect(spanning).toHaveLength(1);
    const [{ text = '', page, later } = {}] = spanning;
    const [[offset = 0, value] = []] = later?.pages ?? [];
    expect([page, value, [...text].slice(offset).join('').startsWith('This sentence')]).toEqual([1, 2, true]);
  });

  it('returns the time at which the first cue of a passage begins, also of a packed text', () => {
    const text = [paragraph, paragraph, paragraph].join('\n\n');
    const second = paragraph.length + 2;
    const times = [
      { offset: 0, seconds: 0.5 },
      { offset: second, seconds: 61.234 },
      { offset: second + 20, seconds: 64 },
      { offset: 2 * second, seconds: 3e6 },
    ];
    const passages = [...splitPassages(unpackText(packText({ ...scanMarkdown(text), times })))];
    expect(passages.map(({ timeMs }) => timeMs)).toEqual([500, 61_234, 2_147_483_647]);
    expect(passages.map(({ later }) => later)).toEqual([undefined, { times: [[20, 64_000]] }, undefined]);
    expect(split(text)[0]).not.toHaveProperty('timeMs');
  });
});
