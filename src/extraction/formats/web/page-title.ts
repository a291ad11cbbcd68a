/** The title of a page, which browsers show above it, as its first heading. */
import type { ExtractedText, Range } from '../../../indexing/split/extracted-text.ts';
import { HEADING_MAX_LENGTH } from '../../../indexing/split/markdown.ts';
import type { HtmlEvents } from '../../markup/open-elements.ts';

/** Passes events on, and collects the page's title. The title of a drawing in it is not the page's. */
export function withTitleRead({ open, close, text }: HtmlEvents): { events: HtmlEvents; title(): string } {
  let title: string | undefined;
  let isOpen = false;
  let drawings = 0;
  return {
    title: () => oneLine(title ?? ''),
    events: {
      open(name, attributes) {
        if (name === 'svg') drawings++;
        isOpen = name === 'title' && title === undefined && drawings === 0;
        if (isOpen) title = '';
        open(name, attributes);
      },
      close(name) {
        if (name === 'svg') drawings--;
        if (name === 'title') isOpen = false;
        close(name);
      },
      text(written) {
        if (isOpen) title += written;
        text(written);
      },
    },
  };
}

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * The text below its title. The title is left out where the first heading or line has all of its words; the name of a
 * site beside them makes it another text: `Refund policy | Shop` above `Refund policy`.
 */
export function belowTitle(extracted: ExtractedText, title: string): ExtractedText {
  const firstLine = /^[^\n]*/.exec(extracted.text.slice(0, 2 * HEADING_MAX_LENGTH))?.[0] ?? '';
  const first = extracted.headings[0]?.text ?? '';
  if (title === '' || saysAll(firstLine, title) || saysAll(first, title)) return extracted;
  const above = `${title}\n\n`;
  const moved = <Moved extends Range>(range: Moved): Moved => ({
    ...range,
    start: range.start + above.length,
    end: range.end + above.length,
  });
  const heading = { start: 0, end: title.length, level: 1, text: title };
  return {
    text: above + extracted.text,
    headings: [...(title.length <= HEADING_MAX_LENGTH ? [heading] : []), ...extracted.headings.map(moved)],
    pages: extracted.pages.map((page) => ({ ...page, offset: page.offset + above.length })),
    verbatim: extracted.verbatim.map(moved),
    tables: extracted.tables.map(moved),
  };
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const wordsOf = (text: string): string[] => text.normalize('NFKC').toLowerCase().match(WORD) ?? [];

/** Whether a text has all words of a title. */
export function saysAll(text: string, title: string): boolean {
  const words = new Set(wordsOf(text));
  return words.size > 0 && wordsOf(title).every((word) => words.has(word));
}
