/** Writes the rows of a sheet as a table whose first row names the columns. */
import { type ExtractedText, isBlank } from '../../indexing/split/extracted-text.ts';
import type { Attributes } from '../markup/read-html.ts';
import type { HtmlRenderer } from './html-renderer.ts';
import { DATA_TABLE, writeElement } from './translate-xml.ts';

export type SheetWriter = { row(cells: string[]): void; end(): void };

const NO_ATTRIBUTES: Attributes = new Map();

/**
 * Begins a sheet. A first row with a single cell is a title: it becomes a paragraph, and the next row may be the
 * header.
 * Empty rows are left out.
 */
export function sheetWriter(
  renderer: HtmlRenderer,
  { page, name }: { page?: number; name?: string },
): SheetWriter {
  let isOpen = false;
  if (page !== undefined) renderer.beginPage(page);
  if (name) writeElement(renderer, 'h1', name);
  return {
    row(cells) {
      const filled = cells.filter((cell) => cell !== '').length;
      if (filled === 0) return;
      if (!isOpen && filled === 1) return writeElement(renderer, 'p', cells.join(''));
      if (!isOpen) openTable(renderer);
      renderer.open('tr', NO_ATTRIBUTES);
      for (const cell of cells) writeElement(renderer, isOpen ? 'td' : 'th', cell);
      renderer.close('tr');
      isOpen = true;
    },
    end() {
      if (isOpen) renderer.close('table');
    },
  };
}

function openTable(renderer: HtmlRenderer): void {
  const { element, attributes } = DATA_TABLE;
  renderer.open(element, attributes);
}

/** The text of a workbook; empty where it contains only the names of sheets. */
export function finishWorkbook(renderer: HtmlRenderer): ExtractedText {
  const extracted = renderer.finish();
  const { text, headings } = extracted;
  const between = headings.map(({ start }, i) => text.slice(headings[i - 1]?.end ?? 0, start));
  const isEmpty = isBlank([...between, text.slice(headings.at(-1)?.end ?? 0)].join(''));
  return isEmpty ? { text: '', headings: [], pages: [], verbatim: [], tables: [] } : extracted;
}
