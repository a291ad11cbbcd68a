/** Finds the cells of an xls file with superscripts or subscripts, which SheetJS reads as plain text. */
import type { CellText } from '../../../rendering/sheet-table.ts';
import { COLUMNS_MAX } from '../../cell-references.ts';
import type { TextPosition } from '../cell-text.ts';
import { readRichStrings } from './rich-strings.ts';

/** Record types ([MS-XLS] 2.3). */
const BOF = 0x0809;
const EOF = 0x000a;
const FONT = 0x0031;
const SST = 0x00fc;
const CONTINUE = 0x003c;
const LABEL_SST = 0x00fd;

/** What a FONT record says of its letters, at this offset of its content ([MS-XLS] 2.4.122). */
const SCRIPT_OFFSET = 8;
const POSITIONS: TextPosition[] = [undefined, 'sup', 'sub'];

/**
 * The texts of such cells for each sheet, by row × COLUMNS_MAX + column. Versions before Excel 97 share no strings, and
 * have none. Follows the records as far as they are whole.
 */
export function readRichCells(workbook: Uint8Array): Map<number, CellText>[] {
  const view = new DataView(workbook.buffer, workbook.byteOffset, workbook.length);
  const fonts: TextPosition[] = [];
  const pieces: Uint8Array[] = [];
  let strings: Map<number, CellText> | undefined;
  const substreams: Map<number, CellText>[] = [];
  let depth = 0;
  let before = 0;
  for (const { type, start, end } of recordsOf(view)) {
    const length = end - start;
    if (type === BOF) {
      if (depth++ === 0) substreams.push(new Map());
    } else if (type === EOF) depth = Math.max(0, depth - 1);
    else if (type === FONT)
      fonts.push(POSITIONS[length > SCRIPT_OFFSET ? view.getUint8(start + SCRIPT_OFFSET) : 0]);
    else if (type === SST || (type === CONTINUE && before === SST))
      pieces.push(workbook.subarray(start, end));
    else if (type === LABEL_SST && length >= 10) {
      strings ??= readRichStrings(pieces, fonts);
      const text = strings.get(view.getUint32(start + 6, true));
      const cell = view.getUint16(start, true) * COLUMNS_MAX + view.getUint16(start + 2, true);
      if (text !== undefined) substreams.at(-1)?.set(cell, text);
    }
    if (type !== CONTINUE) before = type;
  }
  return substreams.slice(1);
}

type ContentRange = { type: number; start: number; end: number };

function* recordsOf(view: DataView): Generator<ContentRange> {
  for (let at = 0; at + 4 <= view.byteLength; ) {
    const start = at + 4;
    const end = start + view.getUint16(at + 2, true);
    if (end > view.byteLength) return;
    yield { type: view.getUint16(at, true), start, end };
    at = end;
  }
}
