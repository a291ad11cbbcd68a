/** Writes the rows of a sheet as a table whose first row names the columns. */
import { type ExtractedText, isBlank } from '../../indexing/split/extracted-text.ts';
import { tooComplex } from '../extraction-error.ts';
import { CELLS_MAX } from '../extraction-limits.ts';
import { DATA_TABLE, type HtmlRenderer, writeElement } from './html-renderer.ts';

export type SheetWriter = { row(cells: string[]): void; end(): void };

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
      if (!isOpen) renderer.open('table', DATA_TABLE);
      renderer.open('tr');
      for (const cell of cells) writeElement(renderer, isOpen ? 'td' : 'th', cell);
      renderer.close('tr');
      isOpen = true;
    },
    end() {
      if (isOpen) renderer.close('table');
    },
  };
}

/**
 * Counts the cells of a workbook.
 * @throws FILE_TOO_COMPLEX past CELLS_MAX
 */
export function cellCounter(): (added: number) => void {
  let cells = 0;
  return (added) => {
    cells += added;
    if (cells > CELLS_MAX) throw tooComplex(`The workbook has more than ${CELLS_MAX} cells.`);
  };
}

/** The text of a workbook; empty where it contains only the names of sheets. */
export function finishWorkbook(renderer: HtmlRenderer): ExtractedText {
  const extracted = renderer.finish();
  const { text, headings } = extracted;
  const between = headings.map(({ start }, i) => text.slice(headings[i - 1]?.end ?? 0, start));
  const isEmpty = isBlank([...between, text.slice(headings.at(-1)?.end ?? 0)].join(''));
  return isEmpty ? { text: '', headings: [], pages: [], verbatim: [], tables: [] } : extracted;
}
