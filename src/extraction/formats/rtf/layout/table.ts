/** Collects the rows of an RTF table. How many rows and columns a cell covers is known only when the table ends. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { DATA_TABLE } from '../../../rendering/html-renderer.ts';
import {
  type RecordedEvents,
  type RenderedEvents,
  recordedEvents,
} from '../../../rendering/repeated-blocks.ts';

/** How a cell is merged with the cell before it or above it: it is the first of them, or a further one. */
type Merge = 'first' | 'further' | undefined;

/** `right`: its right border, in twips. */
export type CellDefinition = { right: number; across: Merge; down: Merge };

/** What `\trowd` and the words after it say of the rows that follow. */
export type RowDefinition = { isHeader: boolean; cells: CellDefinition[] };

type Cell = RecordedEvents;
type Row = { cells: Cell[]; definition: RowDefinition };

export type RtfTable = {
  /** Where the text of the open cell goes. Opens a cell where none is open. */
  cell(): RenderedEvents;
  endCell(): void;
  /** Ends the row. It may be defined before or after its cells. */
  endRow(definition: RowDefinition): void;
  writeTo(target: RenderedEvents): void;
};

export function rtfTable(): RtfTable {
  const rows: Row[] = [];
  let cells: Cell[] = [];
  let open: Cell | undefined;
  const endCell = () => {
    cells.push(open ?? recordedEvents());
    open = undefined;
  };
  const endRow = (definition: RowDefinition) => {
    if (open) endCell();
    if (cells.length > 0) rows.push({ cells, definition });
    cells = [];
  };
  return {
    cell() {
      open ??= recordedEvents();
      return open.events;
    },
    endCell,
    endRow,
    writeTo(target) {
      // The last row may have no end.
      endRow({ isHeader: false, cells: [] });
      writeTable(rows, target);
    },
  };
}

/** A cell with its place. Cells that others cover are left out. */
type PlacedCell = { column: number; width: number; height: number; down: Merge; cell: Cell };

function writeTable(rows: readonly Row[], target: RenderedEvents): void {
  const placed = mergeDown(placeCells(rows));
  target.open('table', DATA_TABLE);
  for (const [i, { definition }] of rows.entries()) {
    const element = definition.isHeader ? 'th' : 'td';
    target.open('tr');
    for (const { cell, width, height } of placed[i] ?? []) {
      target.open(element, extent(width, height));
      cell.replay(target);
      target.close(element);
    }
    target.close('tr');
  }
  target.close('table');
}

const extent = (width: number, height: number): Attributes =>
  new Map([
    ['colspan', String(width)],
    ['rowspan', String(height)],
  ]);

/** Borders nearer to each other than this, in twips (2 mm), are the same border drawn by hand. */
const SAME_BORDER = 113;

/** Places the cells of each row in the columns that the borders of all rows make. */
function placeCells(rows: readonly Row[]): PlacedCell[][] {
  const endOf = columnEnds(rows);
  return rows.map(({ cells, definition }) => {
    const placed: PlacedCell[] = [];
    let column = 0;
    for (const [i, cell] of cells.entries()) {
      const { right, across, down } = definition.cells[i] ?? {
        right: undefined,
        across: undefined,
        down: undefined,
      };
      const width = Math.max(1, (right === undefined ? undefined : endOf?.(right)) ?? column + 1) - column;
      const before = placed.at(-1);
      if (across === 'further' && before) before.width += Math.max(1, width);
      else placed.push({ column, width: Math.max(1, width), height: 1, down, cell });
      column += Math.max(1, width);
    }
    return placed;
  });
}

/**
 * The number of the column that ends at a border; undefined where rows have as many cells, which are then the columns.
 */
function columnEnds(rows: readonly Row[]): ((right: number) => number) | undefined {
  const counts = new Set(rows.map(({ cells }) => cells.length));
  if (counts.size <= 1) return undefined;
  const borders = rows.flatMap(({ cells, definition }) =>
    definition.cells.slice(0, cells.length).map(({ right }) => right),
  );
  const ends = new Map<number, number>();
  let column = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (const border of borders.sort((a, b) => a - b)) {
    if (border - last > SAME_BORDER) column++;
    last = border;
    ends.set(border, column);
  }
  return (right) => ends.get(right) ?? column;
}

/** Adds the height of cells that are merged with the cell above them to this cell. */
function mergeDown(rows: PlacedCell[][]): PlacedCell[][] {
  const open = new Map<number, PlacedCell>();
  return rows.map((cells) =>
    cells.filter((cell) => {
      const above = open.get(cell.column);
      if (cell.down === 'further' && above) {
        above.height++;
        return false;
      }
      if (cell.down === 'first') open.set(cell.column, cell);
      else open.delete(cell.column);
      return true;
    }),
  );
}
