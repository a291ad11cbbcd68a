/** Reads the list tables of an RTF file, for programs that do not write the numbers of its paragraphs. */
import { createNumbering, type Numbering } from '../office/word/numbering/numbering.ts';
import type {
  ListDefinition,
  NumberedList,
  NumberingLevel,
} from '../office/word/numbering/numbering-part.ts';
import { captureText, type Destination } from './groups.ts';

export type RtfListTable = {
  /** Takes the lists, then what paragraphs call them. */
  lists: Destination;
  overrides: Destination;
  numbering(): Numbering;
};

/** The formats of `\levelnfc`, as Word names them. Others are shown as decimal numbers. */
const FORMATS = new Map([
  [1, 'upperRoman'],
  [2, 'lowerRoman'],
  [3, 'upperLetter'],
  [4, 'lowerLetter'],
  [5, 'ordinal'],
  [6, 'cardinalText'],
  [7, 'ordinalText'],
  [22, 'decimalZero'],
  [23, 'bullet'],
  [255, 'none'],
]);

export function rtfListTable(): RtfListTable {
  const definitions = new Map<string, ListDefinition>();
  const lists = new Map<string, NumberedList>();
  let definition = newDefinition();
  let level = newLevel();
  let list = newList();
  let changedLevel = -1;
  return {
    lists: {
      write() {},
      word(group, name, parameter = 0) {
        if (name === 'list') definition = newDefinition();
        else if (name === 'listlevel') {
          level = newLevel();
          definition.levels.set(definition.levels.size, level);
        } else if (name === 'leveltext') {
          const described = level;
          captureText(group, (text) => Object.assign(described, { text: labelOf(text) }));
        } else if (name === 'listid') definitions.set(String(parameter), definition);
        else describe(level, name, parameter);
      },
    },
    overrides: {
      write() {},
      word(_, name, parameter = 0) {
        if (name === 'listoverride') {
          list = newList();
          changedLevel = -1;
        } else if (name === 'lfolevel') changedLevel++;
        else if (name === 'levelstartat') list.starts.set(changedLevel, parameter);
        else if (name === 'listid') list.definition = String(parameter);
        else if (name === 'ls') lists.set(String(parameter), list);
      },
    },
    numbering: () => createNumbering({ definitions, lists }, () => undefined),
  };
}

const newDefinition = (): ListDefinition => ({ levels: new Map(), linkedStyle: '' });
const newList = (): NumberedList => ({ definition: '', starts: new Map(), levels: new Map() });
const newLevel = (): NumberingLevel => ({
  start: 1,
  format: 'decimal',
  text: '',
  isLegal: false,
  restart: undefined,
  style: '',
});

function describe(level: NumberingLevel, name: string, parameter: number): void {
  if (name === 'levelnfc' || name === 'levelnfcn') level.format = FORMATS.get(parameter) ?? 'decimal';
  if (name === 'levelstartat') level.start = parameter;
  if (name === 'levellegal') level.isLegal = parameter !== 0;
  if (name === 'levelnorestart' && parameter !== 0) level.restart = 0;
}

/** Its length, then the label, in which the code 2 stands for the number of the third level; then a semicolon. */
const labelOf = (written: string): string =>
  Array.from(written.replace(/;\s*$/, ''))
    .slice(1)
    .map((character) => (character.charCodeAt(0) < 9 ? `%${character.charCodeAt(0) + 1}` : character))
    .join('');
