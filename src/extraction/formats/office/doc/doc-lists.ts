/** Counts the automatic numbers of lists and headings in a Word document ([MS-DOC] 2.9.131 to 2.9.150). */

import { wideText } from '../../../wide-text.ts';
import { listNumber } from '../word/numbering/list-numbers.ts';
import { type DocFile, PART } from './doc-file.ts';

/** `text`: the label's text, in which the characters U+0000 to U+0008 stand for the numbers of the levels. */
type Level = { start: number; format: number; text: string; isLegal: boolean; restartAfter: number };
type List = { levels: Level[] };
type Override = {
  listId: number;
  levels: Map<number, { start: number | undefined; level: Level | undefined }>;
};

/** Counts on: the label of the next entry of a list at a level; '' for a bullet; undefined where there is no list. */
export type Lists = { next(list: number, level: number): string | undefined };

const LEVELS = 9;

/** The formats of numbers (2.2.1.3, MSONFC) by the names that Office Open XML has for them. */
const FORMATS = new Map([
  [0, 'decimal'],
  [1, 'upperRoman'],
  [2, 'lowerRoman'],
  [3, 'upperLetter'],
  [4, 'lowerLetter'],
  [5, 'ordinal'],
  [6, 'cardinalText'],
  [7, 'ordinalText'],
  [8, 'hex'],
  [9, 'chicago'],
  [10, 'ideographDigital'],
  [11, 'japaneseCounting'],
  [12, 'aiueo'],
  [13, 'iroha'],
  [14, 'decimalFullWidth'],
  [18, 'decimalEnclosedCircle'],
  [22, 'decimalZero'],
  [23, 'bullet'],
  [24, 'ganada'],
  [25, 'chosung'],
  [39, 'chineseCountingThousand'],
  [58, 'russianLower'],
  [59, 'russianUpper'],
  [255, 'none'],
]);
const BULLET = 23;

export function readLists(file: DocFile): Lists {
  const lists = parseLists(file);
  const overrides = parseOverrides(file.part(PART.listOverrides));
  const counters = new Map<number, (number | undefined)[]>();
  const started = new Set<number>();
  return {
    next(number, level) {
      const override = overrides[number - 1];
      const list = override && lists.get(override.listId);
      if (override === undefined || list === undefined) return undefined;
      const levels = list.levels.map((each, i) => override.levels.get(i)?.level ?? each);
      const counts = counters.get(override.listId) ?? [];
      counters.set(override.listId, counts);
      // An override starts the list anew where it is used first.
      if (!started.has(number))
        for (const [i, { start }] of override.levels) if (start !== undefined) counts[i] = start - 1;
      started.add(number);
      return count(levels, counts, Math.min(level, LEVELS - 1));
    },
  };
}

function count(levels: Level[], counts: (number | undefined)[], at: number): string | undefined {
  const level = levels[at] ?? levels[0];
  if (level === undefined) return undefined;
  counts[at] = (counts[at] ?? level.start - 1) + 1;
  for (let i = at + 1; i < LEVELS; i++) if (at < (levels[i]?.restartAfter ?? i)) counts[i] = undefined;
  if (level.format === BULLET) return '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the file has them as placeholders
  return level.text.replace(/[\0-\x08]/g, (placeholder) => {
    const i = placeholder.charCodeAt(0);
    const format = level.isLegal ? 'decimal' : (FORMATS.get(levels[i]?.format ?? 0) ?? 'decimal');
    return listNumber(counts[i] ?? levels[i]?.start ?? 1, format);
  });
}

const LIST_LENGTH = 28;

/** Lists by their ids. The levels of all lists follow the list of them, beyond its length. */
function parseLists({ table, part, offsetOf }: DocFile): Map<number, List> {
  const lists = new Map<number, List>();
  const heads = part(PART.lists);
  if (heads.length < 2) return lists;
  const count = Math.min(heads.readUInt16LE(0), Math.floor((heads.length - 2) / LIST_LENGTH));
  const cursor = { at: offsetOf(PART.lists) + 2 + count * LIST_LENGTH };
  for (let i = 0; i < count; i++) {
    const head = heads.subarray(2 + i * LIST_LENGTH, 2 + (i + 1) * LIST_LENGTH);
    const isSimple = ((head[26] ?? 0) & 1) === 1;
    const levels: Level[] = [];
    for (let j = 0; j < (isSimple ? 1 : LEVELS); j++) {
      const level = parseLevel(table, cursor, j);
      if (level) levels.push(level);
    }
    lists.set(head.readInt32LE(0), { levels });
  }
  return lists;
}

const LEVEL_LENGTH = 28;

/** Moves the cursor behind the level. */
function parseLevel(table: Buffer, cursor: { at: number }, index: number): Level | undefined {
  const { at } = cursor;
  if (at + LEVEL_LENGTH + 2 > table.length) return undefined;
  const flags = table[at + 5] ?? 0;
  const textAt = at + LEVEL_LENGTH + (table[at + 24] ?? 0) + (table[at + 25] ?? 0);
  if (textAt + 2 > table.length) return undefined;
  cursor.at = textAt + 2 + 2 * table.readUInt16LE(textAt);
  const isFree = (flags & 0x08) !== 0; // restarts only after the level that is named
  return {
    start: table.readInt32LE(at),
    format: table[at + 4] ?? 0,
    isLegal: (flags & 0x04) !== 0,
    restartAfter: isFree ? (table[at + 26] ?? index) : index,
    text: wideText(table.subarray(textAt + 2, cursor.at)),
  };
}

const OVERRIDE_LENGTH = 16;
const CHANGE = { number: 0x0f, hasStart: 0x10, hasLevel: 0x20 };

/** A paragraph names its list by the number of an override, from 1, which names the list and may change its levels. */
function parseOverrides(part: Buffer): Override[] {
  if (part.length < 4) return [];
  const count = Math.min(part.readUInt32LE(0), Math.floor((part.length - 4) / OVERRIDE_LENGTH));
  const cursor = { at: 4 + count * OVERRIDE_LENGTH };
  return Array.from({ length: count }, (_, i) => {
    const at = 4 + i * OVERRIDE_LENGTH;
    const levels: Override['levels'] = new Map();
    cursor.at += 4;
    for (let j = 0; j < (part[at + 12] ?? 0) && cursor.at + 8 <= part.length; j++) {
      const start = part.readInt32LE(cursor.at);
      const flags = part[cursor.at + 4] ?? 0;
      cursor.at += 8;
      const level = flags & CHANGE.hasLevel ? parseLevel(part, cursor, flags & CHANGE.number) : undefined;
      levels.set(flags & CHANGE.number, {
        start: flags & CHANGE.hasStart ? (level?.start ?? start) : undefined,
        level,
      });
    }
    return { listId: part.readInt32LE(at), levels };
  });
}
