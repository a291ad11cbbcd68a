/** What stands around the rows of a sheet and says how to read them: merged cells, header rows, and further parts. */
import { attribute, readXml } from '../../../markup/read-xml.ts';
import type { Span } from '../../../rendering/sheet-table.ts';
import type { Archive } from '../../archive.ts';
import { type Area, areaOf, COLUMNS_MAX } from '../../cell-references.ts';
import { relationshipsOf } from '../../office/relationships.ts';
import { headerRows } from '../header-rows.ts';

export type SheetLayout = {
  /** The merged cell that begins here. */
  spanAt(row: number, column: number): Span | undefined;
  /** Whether the file declares that this row names the columns. */
  isHeader(row: number): boolean;
  /** The texts above and below each printed page, as written. */
  pageHeaders: string[];
  pageFooters: string[];
  /** The numbers of the objects of other programs. Newer files name each twice. */
  objects: ReadonlySet<string>;
};

/**
 * The merged cells and declared header rows of the sheet in this part. `printTitles`: the rows printed on each page.
 */
export async function readLayout(
  archive: Archive,
  { part, sheet, printTitles }: { part: Uint8Array; sheet: string; printTitles: Area | undefined },
): Promise<SheetLayout> {
  const { spans, frozenRows, filter, ...beside } = readSurroundings(part);
  const tables: Area[] = [];
  for (const { type, target } of await relationshipsOf(archive, sheet)) {
    const table = type === 'table' ? await archive.read(target) : undefined;
    const area = table && headedArea(table);
    if (area) tables.push(area);
  }
  const headers = headerRows({ tables, filter, frozenRows, printTitles });
  return {
    spanAt: (row, column) => spans.get(row * COLUMNS_MAX + column),
    isHeader: (row) => headers.has(row),
    ...beside,
  };
}

type Surroundings = {
  /** By row and column of the upper left cell, as one number. */
  spans: Map<number, Span>;
  /** Rows that stay in place while the others are scrolled. */
  frozenRows: number;
  filter: Area | undefined;
  objects: Set<string>;
} & Pick<SheetLayout, 'pageHeaders' | 'pageFooters'>;

const noSurroundings = (): Surroundings => ({
  spans: new Map(),
  frozenRows: 0,
  filter: undefined,
  pageHeaders: [],
  pageFooters: [],
  objects: new Set(),
});

/** `oddHeader`, `firstFooter` and the others. */
const PAGE_TEXT = /^(?:odd|even|first)(Header|Footer)$/;

/** Reads what precedes and follows the rows, which may be a hundred times as long. */
function readSurroundings(part: Uint8Array): Surroundings {
  const surroundings = noSurroundings();
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.length);
  const start = bytes.indexOf('sheetData');
  const end = bytes.lastIndexOf('sheetData');
  // A part in UTF-16 has no such bytes and is read whole.
  const pieces = start < 0 ? [bytes] : [bytes.subarray(0, start), bytes.subarray(end)];
  for (const piece of pieces) readPiece(piece, surroundings);
  return surroundings;
}

function readPiece(piece: Uint8Array, surroundings: Surroundings): void {
  let pageText: string | undefined;
  readXml(piece, {
    open(name, attributes) {
      const area = areaOf(attribute(attributes, 'ref'));
      if (name === 'mergeCell' && area) addSpan(surroundings.spans, area);
      if (name === 'autoFilter') surroundings.filter ??= area;
      if (name === 'pane' && /^frozen/.test(attribute(attributes, 'state') ?? ''))
        surroundings.frozenRows ||= Number(attribute(attributes, 'ySplit') ?? 0);
      if (name === 'oleObject') surroundings.objects.add(attribute(attributes, 'shapeId') ?? '');
      if (PAGE_TEXT.test(name)) pageText = '';
    },
    close(name) {
      const kind = PAGE_TEXT.exec(name)?.[1];
      if (kind === undefined || pageText === undefined) return;
      (kind === 'Header' ? surroundings.pageHeaders : surroundings.pageFooters).push(pageText);
      pageText = undefined;
    },
    text(written) {
      if (pageText !== undefined) pageText += written;
    },
  });
}

function addSpan(spans: Map<number, Span>, { top, left, bottom, right }: Area): void {
  const span = { rows: bottom - top + 1, columns: right - left + 1 };
  if (span.rows > 1 || span.columns > 1) spans.set(top * COLUMNS_MAX + left, span);
}

/** The area of a table that has a header row (18.5.1.2). */
function headedArea(table: Uint8Array): Area | undefined {
  let area: Area | undefined;
  readXml(table, {
    open(name, attributes) {
      if (name === 'table' && attribute(attributes, 'headerRowCount') !== '0')
        area ??= areaOf(attribute(attributes, 'ref'));
    },
  });
  return area;
}
