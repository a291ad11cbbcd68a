/** Writes the texts of a sheet that stand beside its cells. */
import type { HtmlRenderer } from '../../rendering/html-renderer.ts';
import { type CellText, writeCellText } from '../../rendering/sheet-table.ts';

export function writeParagraphs(renderer: HtmlRenderer, texts: readonly CellText[]): void {
  for (const text of texts) {
    renderer.open('p');
    writeCellText(renderer, text);
    renderer.close('p');
  }
}
