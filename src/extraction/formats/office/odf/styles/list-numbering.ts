/** Counts the entries of lists and the headings of an OpenDocument text, and says how each is labelled. */
import type { Attributes } from '../../../../markup/markup-tokens.ts';
import { attribute } from '../../../../markup/read-xml.ts';
import { type ListLevel, numberLabel, startValue } from './list-levels.ts';
import { type OdfStyles, OUTLINE } from './odf-styles.ts';

/** What stands before a paragraph: a bullet, or a number as written. */
export type ListLabel = 'bullet' | { number: string };

/** The number of the last entry of each level, from the outermost. Lists that are continued share them. */
type Numbers = number[];
type Levels = readonly (ListLevel | undefined)[] | undefined;

type Entry = {
  hasNoLabel: boolean;
  start: number | undefined;
  /** The label that the file's program wrote (`text:number`). */
  written: string;
  /** Its first paragraph, which has the label, has been read. */
  hasBegun: boolean;
};
type OpenList = { style: string; numbers: Numbers; entry: Entry | undefined };

export type ListNumbering = {
  openList(attributes: Attributes): void;
  closeList(): void;
  openEntry(attributes: Attributes, options: { hasNoLabel: boolean }): void;
  closeEntry(): void;
  /** Takes the label of the open entry as written in the file. */
  takeWritten(label: string): void;
  /** Opens a paragraph. Returns the label before it; undefined where it has none. */
  labelOf(paragraph: {
    style: string;
    level: number | undefined;
    attributes: Attributes;
  }): ListLabel | undefined;
};

export function listNumbering(styles: OdfStyles): ListNumbering {
  const lists: OpenList[] = [];
  const known = knownLists();
  const outline: Numbers = [];
  return {
    openList(attributes) {
      const parent = lists.at(-1);
      const style = attribute(attributes, 'style-name') ?? parent?.style ?? '';
      const numbers = parent ? parent.numbers : known.begin(style, attributes);
      // A second list in an entry starts again. An entry without a paragraph of its own only wraps its list.
      if (parent?.entry?.hasBegun && attribute(attributes, 'continue-numbering') !== 'true')
        numbers.length = Math.min(numbers.length, lists.length);
      lists.push({ style, numbers, entry: undefined });
    },
    closeList() {
      lists.pop();
    },
    openEntry(attributes, { hasNoLabel }) {
      const list = lists.at(-1);
      const start = startValue(attribute(attributes, 'start-value'));
      if (list) list.entry = { hasNoLabel, start, written: '', hasBegun: false };
    },
    closeEntry() {
      const list = lists.at(-1);
      if (list) list.entry = undefined;
    },
    takeWritten(label) {
      const entry = lists.at(-1)?.entry;
      if (entry) entry.written = label.trim();
    },
    labelOf({ style, level, attributes }) {
      const list = lists.at(-1);
      if (list?.entry) return entryLabel(styles, lists, { list, entry: list.entry, paragraphStyle: style });
      return level === undefined ? undefined : headingLabel(styles, outline, { style, level, attributes });
    },
  };
}

/** The numbers of the lists so far. */
function knownLists() {
  const byId = new Map<string, Numbers>();
  let last: { style: string; numbers: Numbers } | undefined;
  return {
    /** The numbers of a list that begins: of the list that it continues (clause 5.3.1), or new numbers. */
    begin(style: string, attributes: Attributes): Numbers {
      const continues = attribute(attributes, 'continue-numbering') === 'true' && last?.style === style;
      const paragraphList = attribute(attributes, 'list-id');
      const continued = byId.get(attribute(attributes, 'continue-list') ?? paragraphList ?? '');
      const numbers = continued ?? (continues ? last?.numbers : undefined) ?? [];
      const id = attribute(attributes, 'id') ?? paragraphList;
      if (id !== undefined) byId.set(id, numbers);
      last = { style, numbers };
      return numbers;
    },
  };
}

function entryLabel(
  styles: OdfStyles,
  lists: readonly OpenList[],
  { list, entry, paragraphStyle }: { list: OpenList; entry: Entry; paragraphStyle: string },
): ListLabel | undefined {
  if (entry.hasBegun || entry.hasNoLabel) return undefined;
  entry.hasBegun = true;
  if (styles.property('paragraph', paragraphStyle, 'isNumbered') === false) return undefined;
  const style = list.style || styles.property('paragraph', paragraphStyle, 'listStyle') || '';
  const levels = style === '' ? undefined : styles.listLevels(style);
  const level = lists.length;
  const definition = levels?.[level - 1];
  count(list.numbers, { level, start: entry.start, levels });
  if (entry.written !== '') return labelOf(entry.written);
  if (!levels || !definition || definition.isBullet) return 'bullet';
  return labelOf(
    numberLabel(
      levels,
      Array.from(list.numbers, (number) => number ?? 0),
    ),
  );
}

/** The number of a heading outside lists. A style that names no list, or another one, has no outline number. */
function headingLabel(
  styles: OdfStyles,
  outline: Numbers,
  { style, level, attributes }: { style: string; level: number; attributes: Attributes },
): ListLabel | undefined {
  const levels = styles.listLevels(OUTLINE);
  const definition = levels?.[level - 1];
  if (!levels || !definition || attribute(attributes, 'is-list-header') === 'true') return undefined;
  if (styles.property('paragraph', style, 'listStyle') === '') return undefined;
  const restarts = attribute(attributes, 'restart-numbering') === 'true';
  const start = restarts ? (startValue(attribute(attributes, 'start-value')) ?? definition.start) : undefined;
  count(outline, { level, start, levels });
  return labelOf(numberLabel(levels, outline));
}

/** Counts one more at a level. Levels above that have no entry yet begin, as office programs do it; deeper ones end. */
function count(
  numbers: Numbers,
  { level, start, levels }: { level: number; start: number | undefined; levels: Levels },
): void {
  const last = numbers[level - 1];
  for (let above = numbers.length; above < level - 1; above++) numbers.push(levels?.[above]?.start ?? 1);
  numbers.length = level;
  numbers[level - 1] = start ?? (last === undefined ? (levels?.[level - 1]?.start ?? 1) : last + 1);
}

/** A label without digits and letters is a bullet. */
function labelOf(label: string): ListLabel | undefined {
  if (label.trim() === '') return undefined;
  return /[\p{L}\p{N}]/u.test(label) ? { number: label.trim() } : 'bullet';
}
