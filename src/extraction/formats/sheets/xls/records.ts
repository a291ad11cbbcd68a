/**
 * Reads records of xls files that SheetJS skips ([MS-XLS] 2.1.4): texts of charts and of printed pages, frozen rows.
 */

/** What a sheet has beside its cells. */
export type SheetRecords = {
  pageHeaders: string[];
  pageFooters: string[];
  /** Titles and names of series in charts. */
  chartTexts: string[];
  /** Rows that stay in place while the others are scrolled. */
  frozenRows: number;
};

/** Record types ([MS-XLS] 2.3). */
const BOF = 0x0809;
const EOF = 0x000a;
const HEADER = 0x0014;
const FOOTER = 0x0015;
const PANE = 0x0041;
const WINDOW2 = 0x023e;
const SERIES_TEXT = 0x100d;

/** The bit of WINDOW2 for panes that stay in place. */
const FROZEN = 0x0008;
/** The bit of a string's flags for two bytes a character. */
const WIDE = 0x01;
/** Versions before Excel 97 have no flags in strings. */
const BIFF8 = 0x0600;

type Stream = { view: DataView; decode(bytes: Uint8Array): string };

/**
 * The records of each sheet, in the order of the workbook's stream. `decode`: from the encoding of versions before
 * Excel 97. Follows the records as far as they are whole.
 */
export function readRecords(workbook: Uint8Array, decode: (bytes: Uint8Array) => string): SheetRecords[] {
  const stream: Stream = {
    view: new DataView(workbook.buffer, workbook.byteOffset, workbook.length),
    decode,
  };
  const { view } = stream;
  /** The first substream belongs to the workbook itself. */
  const substreams: SheetRecords[] = [];
  let depth = 0;
  let version = BIFF8;
  let isFrozen = false;
  for (let at = 0; at + 4 <= view.byteLength; ) {
    const type = view.getUint16(at, true);
    const start = at + 4;
    const end = start + view.getUint16(at + 2, true);
    if (end > view.byteLength) break;
    at = end;
    const record = { start, end, isWide: version >= BIFF8 };
    const sheet = substreams.at(-1);
    if (type === BOF && end - start >= 2) {
      version = view.getUint16(start, true);
      if (depth++ === 0) substreams.push({ pageHeaders: [], pageFooters: [], chartTexts: [], frozenRows: 0 });
    } else if (type === EOF) depth = Math.max(0, depth - 1);
    else if (!sheet || end - start < 4) continue;
    else if (type === SERIES_TEXT)
      sheet.chartTexts.push(textAt(stream, { ...record, start: start + 2, lengthBytes: 1 }));
    else if (depth > 1) continue;
    else if (type === HEADER) sheet.pageHeaders.push(pageText(stream, record));
    else if (type === FOOTER) sheet.pageFooters.push(pageText(stream, record));
    else if (type === WINDOW2) isFrozen = (view.getUint16(start, true) & FROZEN) !== 0;
    else if (type === PANE && isFrozen) sheet.frozenRows = view.getUint16(start + 2, true);
  }
  return substreams.slice(1);
}

type TextRecord = { start: number; end: number; isWide: boolean };

const pageText = (stream: Stream, record: TextRecord): string =>
  textAt(stream, { ...record, lengthBytes: record.isWide ? 2 : 1 });

/** A string with its length before it ([MS-XLS] 2.5.294), as far as it is inside its record. */
function textAt(
  { view, decode }: Stream,
  { start, end, isWide, lengthBytes }: TextRecord & { lengthBytes: 1 | 2 },
): string {
  const length = lengthBytes === 1 ? view.getUint8(start) : view.getUint16(start, true);
  const at = start + lengthBytes;
  if (!isWide) return decode(bytesOf(view, at, Math.min(end, at + length)));
  const hasWideCharacters = at < end && (view.getUint8(at) & WIDE) !== 0;
  const bytes = bytesOf(view, at + 1, Math.min(end, at + 1 + length * (hasWideCharacters ? 2 : 1)));
  return Buffer.from(bytes).toString(hasWideCharacters ? 'utf16le' : 'latin1');
}

function bytesOf(view: DataView, start: number, end: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + Math.min(start, end), Math.max(0, end - start));
}
