/** Builds the tables of a Word document from its paragraphs ([MS-DOC] 2.4.3). */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { edgeNumbers } from '../edges.ts';
import { type Formats, isOn, SPRM } from './doc-formats.ts';
import type { Paragraph } from './doc-paragraphs.ts';

export type Block = { paragraph: Paragraph } | { rows: Row[] };

/** Cells that another one covers are left out. `attributes`: the columns and rows that it covers itself. */
export type Row = { isHeader: boolean; cells: { blocks: Block[]; attributes: Attributes }[] };

type WrittenRow = { cells: Block[][]; formats: Formats };
type OpenTable = { rows: WrittenRow[]; cells: Block[][]; content: Block[] };

/** Deeper tables are taken for this deep. */
const DEPTH_MAX = 20;

/** A table's cells end with a mark, its rows with a paragraph of their own, which holds the formats of the row. */
export function blocksOf(paragraphs: Iterable<Paragraph>): Block[] {
  const blocks: Block[] = [];
  const open: OpenTable[] = [];
  const closeTo = (depth: number): void => {
    while (open.length > depth) {
      const table = open.pop() as OpenTable; // the loop's condition
      if (table.content.length > 0) table.cells.push(table.content);
      if (table.cells.length > 0) table.rows.push({ cells: table.cells, formats: new Map() });
      (open.at(-1)?.content ?? blocks).push({ rows: tableRows(table.rows) });
    }
  };
  for (const paragraph of paragraphs) {
    const depth = depthOf(paragraph);
    closeTo(depth);
    while (open.length < depth) open.push({ rows: [], cells: [], content: [] });
    const table = open.at(-1);
    if (table === undefined) blocks.push({ paragraph });
    else if (isRowEnd(paragraph, depth)) {
      table.rows.push({ cells: table.cells, formats: paragraph.formats });
      table.cells = [];
    } else {
      table.content.push({ paragraph });
      if (!isCellEnd(paragraph, depth)) continue;
      table.cells.push(table.content);
      table.content = [];
    }
  }
  closeTo(0);
  return blocks;
}

function depthOf({ formats }: Paragraph): number {
  if (!isOn(formats, SPRM.inTable)) return 0;
  const depth = formats.get(SPRM.depth)?.readInt32LE(0) ?? 1;
  return Math.min(Math.max(depth, 1), DEPTH_MAX);
}

const isRowEnd = ({ formats }: Paragraph, depth: number): boolean =>
  isOn(formats, depth > 1 ? SPRM.innerRowEnd : SPRM.rowEnd);

const isCellEnd = ({ formats, mark }: Paragraph, depth: number): boolean =>
  depth > 1 ? isOn(formats, SPRM.innerCell) : mark === '\x07';

/** The definition of a row's cells (2.9.315): their edges in twentieths of a point, and which are merged. */
type CellPlace = { left: number; right: number; isCovered: boolean; continues: boolean };

const CELL_LENGTH = 20;
/** The first bits of a cell's definition (2.9.310). */
const MERGED = { across: 0x03, down: 0x60, isContinued: 0x20 };
const COVERED_ACROSS = 1;

function placesOf({ formats }: WrittenRow): CellPlace[] {
  const definition = formats.get(SPRM.cells);
  if (definition === undefined) return [];
  const count = definition[0] ?? 0;
  if (definition.length < 1 + 2 * (count + 1)) return [];
  return Array.from({ length: count }, (_, i) => {
    const at = 1 + 2 * (count + 1) + i * CELL_LENGTH;
    const flags = at + 2 <= definition.length ? definition.readUInt16LE(at) : 0;
    return {
      left: definition.readInt16LE(1 + 2 * i),
      right: definition.readInt16LE(3 + 2 * i),
      isCovered: (flags & MERGED.across) === COVERED_ACROSS,
      continues: (flags & MERGED.down) === MERGED.isContinued,
    };
  });
}

/** In twentieths of a point. */
const EDGE_TOLERANCE = 20;

/** Gives the cells the columns that they cover in the table as a whole, since each row has edges of its own. */
function tableRows(rows: WrittenRow[]): Row[] {
  const places = rows.map(placesOf);
  const edges = places.flat().flatMap(({ left, right }) => [left, right]);
  const column = edgeNumbers(edges, EDGE_TOLERANCE);
  const spans = rowSpans(places, column);
  return rows.map(({ cells, formats }, number) => ({
    isHeader: isHeaderRow(formats, number),
    cells: cells.flatMap((blocks, i) => {
      const row = places[number] ?? [];
      const place = row[i];
      if (place === undefined) return [{ blocks, attributes: new Map() }];
      if (place.isCovered || place.continues) return [];
      let end = i;
      while (row[end + 1]?.isCovered) end++;
      const columns = column(row[end]?.right ?? place.right) - column(place.left);
      const attributes = new Map([
        ['colspan', String(Math.max(1, columns))],
        ['rowspan', String(spans.get(place) ?? 1)],
      ]);
      return [{ blocks, attributes }];
    }),
  }));
}

/** `firstRow` in a table's look (2.9.316). */
const FIRST_ROW = 0x20;

const isHeaderRow = (formats: Formats, number: number): boolean =>
  isOn(formats, SPRM.headerRow) ||
  (number === 0 && ((formats.get(SPRM.tableLook)?.readUInt16LE(2) ?? 0) & FIRST_ROW) !== 0);

/** The number of rows that each cell covers together with the cells below that continue it. */
function rowSpans(rows: CellPlace[][], column: (edge: number) => number): Map<CellPlace, number> {
  const spans = new Map<CellPlace, number>();
  let above = new Map<number, CellPlace>();
  for (const row of rows) {
    const now = new Map<number, CellPlace>();
    for (const place of row) {
      const at = column(place.left);
      const first = place.continues ? above.get(at) : undefined;
      if (place.continues && first === undefined) place.continues = false;
      if (first) spans.set(first, (spans.get(first) ?? 1) + 1);
      now.set(at, first ?? place);
    }
    above = now;
  }
  return spans;
}
