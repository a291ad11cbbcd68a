/** Counts the numbered paragraphs of a Word document, and writes their labels as the reader sees them (17.9). */
import { listNumber } from './list-numbers.ts';
import type { NumberingLevel, NumberingPart } from './numbering-part.ts';

/** A paragraph's place in the lists; what is undefined the paragraph does not state. */
export type ListPlace = { list: string | undefined; level: number | undefined };

/** What stands before a paragraph: nothing, a bullet, or a label like `2.1` or `(a)`. */
export type Label = 'none' | 'bullet' | { number: string };

export type Numbering = {
  /** Counts a paragraph. `styles`: its paragraph style, then those that it is based on. */
  count(place: ListPlace, styles: readonly string[]): Label;
};

/** The last level is 8 (from 0). */
const LEVELS = 9;

/** `listOfStyle`: the list that a numbering style names. */
export function createNumbering(
  { definitions, lists }: NumberingPart,
  listOfStyle: (style: string) => string | undefined,
): Numbering {
  /** The counters of each definition. */
  const counters = new Map<string, (number | undefined)[]>();
  const begun = new Set<string>();
  const resolve = (list: string) => {
    const found = lists.get(list);
    const definition = found && definitions.get(found.definition);
    const linked = definition?.linkedStyle ? lists.get(listOfStyle(definition.linkedStyle) ?? '') : undefined;
    const target = linked ?? found;
    return found && target && { ...found, definition: target.definition, linked: linked?.levels };
  };
  return {
    count({ list, level: stated }, styles) {
      // A list of number 0 takes the numbering of the style away.
      if (list === '0') return 'none';
      const found = list === undefined ? undefined : resolve(list);
      const definition = found && definitions.get(found.definition);
      if (!definition || list === undefined) return 'bullet';
      const levels = Array.from(
        { length: LEVELS },
        (_, i) => found.levels.get(i) ?? found.linked?.get(i) ?? definition.levels.get(i),
      );
      const level = stated ?? levelOfStyle(levels, styles);
      const numbers = counters.get(found.definition) ?? [];
      counters.set(found.definition, numbers);
      const start = found.starts.get(level);
      const isFirst = !begun.has(`${list} ${level}`);
      begun.add(`${list} ${level}`);
      advance({ numbers, levels }, level, isFirst ? start : undefined);
      return labelOf(levels, numbers, level);
    },
  };
}

type Levels = readonly (NumberingLevel | undefined)[];

function levelOfStyle(levels: Levels, styles: readonly string[]): number {
  for (const style of styles) {
    const level = levels.findIndex((one) => one !== undefined && one.style !== '' && one.style === style);
    if (level >= 0) return level;
  }
  return 0;
}

/** Counts one on. Levels above that were skipped begin, and those below begin again. */
function advance(
  { numbers, levels }: { numbers: (number | undefined)[]; levels: Levels },
  level: number,
  start: number | undefined,
): void {
  const last = numbers[level];
  const first = levels[level]?.start ?? 1;
  numbers[level] = start ?? (last === undefined ? first : last + 1);
  for (let above = 0; above < level; above++) numbers[above] ??= levels[above]?.start ?? 1;
  for (let below = level + 1; below < LEVELS; below++) {
    const restart = levels[below]?.restart;
    if (restart === undefined || level < restart) numbers[below] = undefined;
  }
}

function labelOf(levels: Levels, numbers: readonly (number | undefined)[], level: number): Label {
  const definition = levels[level];
  if (!definition) return 'bullet';
  if (definition.format === 'bullet') return definition.text === '' ? 'none' : 'bullet';
  const label = definition.text.replace(/%(\d)/g, (_, place: string) => {
    const at = Number(place) - 1;
    const format = definition.isLegal ? 'decimal' : (levels[at]?.format ?? 'decimal');
    return listNumber(numbers[at] ?? levels[at]?.start ?? 1, format);
  });
  return label.trim() === '' ? 'none' : { number: label.trim() };
}
