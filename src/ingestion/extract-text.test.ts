import { describe, expect, it } from 'vitest';
import { extractText, isExtractable } from './extract-text.ts';

describe('extractText', () => {
  it('reads plain text as Markdown, and leaves it as it is', () => {
    const { text, headings } = extractText(Buffer.from('# Title\r\n\r\n*text*'), 'txt');
    expect(text).toBe('# Title\n\n*text*');
    expect(headings.map((heading) => heading.text)).toEqual(['Title']);
  });

  it('reads HTML in its declared encoding', () => {
    const page = Buffer.concat([Buffer.from('<meta charset=euc-kr><p>'), Buffer.from([0xb4, 0xeb])]);
    expect(extractText(page, 'html').text).toBe('대');
  });
});

describe('isExtractable', () => {
  it('knows which types need another parser', () => {
    expect((['html', 'md', 'txt', 'pdf', 'csv'] as const).filter(isExtractable)).toEqual([
      'html',
      'md',
      'txt',
    ]);
  });
});
