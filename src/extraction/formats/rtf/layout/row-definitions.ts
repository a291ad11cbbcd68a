/** What an RTF file says of the rows of its tables. */
import type { CellDefinition, RowDefinition } from './table.ts';

export type RowDefinitions = {
  /** Takes a control word; false for words that do not describe rows. */
  take(name: string, parameter: number | undefined): boolean;
  /** The row of a table at this depth, from 1. */
  definition(depth: number): RowDefinition;
  /** Whether a row of the outermost table has begun: some programs do not mark the paragraphs in it. */
  isRowOpen(): boolean;
};

type Merges = Omit<CellDefinition, 'right'>;

/** The flags of the next cell, which `\cellx` defines. */
const MERGES = new Map<string, Partial<Merges>>([
  ['clmgf', { across: 'first' }],
  ['clmrg', { across: 'further' }],
  ['clvmgf', { down: 'first' }],
  ['clvmrg', { down: 'further' }],
]);
const UNMERGED: Merges = { across: undefined, down: undefined };

/** A definition holds for all rows until the next one. Cells beyond these many have no definition. */
const CELLS_MAX = 1_000;

export function rowDefinitions(): RowDefinitions {
  const inTable = { outer: newRow(), inner: newRow() };
  /** The rows of inner tables are defined in a destination of its own (`\nesttableprops`). */
  let place: keyof typeof inTable = 'outer';
  let merges = UNMERGED;
  let isRowOpen = false;
  return {
    take(name, parameter) {
      const merge = MERGES.get(name);
      if (merge) merges = { ...merges, ...merge };
      else if (name === 'trowd') {
        inTable[place] = newRow();
        merges = UNMERGED;
        isRowOpen ||= place === 'outer';
      } else if (name === 'trhdr') inTable[place].isHeader = parameter !== 0;
      else if (name === 'cellx') {
        const { cells } = inTable[place];
        if (cells.length < CELLS_MAX) cells.push({ right: parameter ?? 0, ...merges });
        merges = UNMERGED;
      } else if (name === 'nesttableprops') place = 'inner';
      else if (name === 'nestrow') place = 'outer';
      else if (name === 'row') isRowOpen = false;
      else return false;
      return true;
    },
    definition: (depth) => (depth > 1 ? inTable.inner : inTable.outer),
    isRowOpen: () => isRowOpen,
  };
}

const newRow = (): RowDefinition => ({ isHeader: false, cells: [] });
