/** Writes a text that was extracted from another file into a document, with its headings, tables and code. */
import type { ExtractedText, Range } from '../../indexing/split/extracted-text.ts';
import { DATA_TABLE, type HtmlRenderer, writeElement } from './html-renderer.ts';

type Block = Range & { write: (text: string) => void };

/** Takes time in proportion to the text. */
export function writeExtracted(extracted: ExtractedText, renderer: HtmlRenderer): void {
  const { text, headings, tables, verbatim } = extracted;
  const blocks: Block[] = [
    ...headings.map(({ start, end, level, text: words }) => ({
      ...{ start, end },
      write: () => writeElement(renderer, `h${Math.min(level, 6)}`, words),
    })),
    ...tables.map(({ start, end, header }) => ({
      ...{ start, end },
      write: (rows: string) => writeTable(rows, header, renderer),
    })),
    ...verbatim.map((range) => ({ ...range, write: (code: string) => writeElement(renderer, 'pre', code) })),
  ].sort((a, b) => a.start - b.start);
  let written = 0;
  for (const { start, end, write } of blocks) {
    if (start < written) continue;
    writeParagraphs(text.slice(written, start), renderer);
    write(text.slice(start, end));
    written = end;
  }
  writeParagraphs(text.slice(written), renderer);
}

function writeParagraphs(text: string, renderer: HtmlRenderer): void {
  for (const paragraph of text.split(/\n\s*\n/)) {
    if (paragraph.trim() === '') continue;
    renderer.open('p');
    for (const [i, line] of paragraph.split('\n').entries()) {
      if (i > 0) renderer.open('br');
      renderer.text(line);
    }
    renderer.close('p');
  }
}

/** A table is written as its rows are: one a line, with the cells between bars. */
function writeTable(rows: string, header: string, renderer: HtmlRenderer): void {
  renderer.open('table', DATA_TABLE);
  for (const row of rows.split('\n')) {
    if (row.trim() === '') continue;
    renderer.open('tr');
    for (const cell of row.split(/ ?\| ?/)) writeElement(renderer, row === header ? 'th' : 'td', cell);
    renderer.close('tr');
  }
  renderer.close('table');
}
