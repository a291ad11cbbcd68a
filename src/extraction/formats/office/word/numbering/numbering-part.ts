/** Reads how the paragraphs of a Word document are numbered: its numbering part (ECMA-376 part 1, 17.9). */
import {
  attributeOf,
  childOf,
  childrenOf,
  descendants,
  readXmlTree,
  type XmlElement,
} from '../../../../markup/xml-tree.ts';
import { isSwitchedOn } from '../../on-off.ts';

/** `text`: the label with `%1` for the number of the outermost level. */
export type NumberingLevel = {
  start: number;
  format: string;
  text: string;
  /** All numbers of the label are decimal. */
  isLegal: boolean;
  /** The level restarts after this level (from 1) and those above it; 0 never. Without it, after every level above. */
  restart: number | undefined;
  /** The paragraph style whose paragraphs stand on this level. */
  style: string;
};

/** A list definition; all lists of one definition count on together. `styleLink`: the style of its name. */
export type ListDefinition = { levels: Map<number, NumberingLevel>; linkedStyle: string };

/** A list: its definition's id, and what it changes. */
export type NumberedList = {
  definition: string;
  starts: Map<number, number>;
  levels: Map<number, NumberingLevel>;
};

export type NumberingPart = { definitions: Map<string, ListDefinition>; lists: Map<string, NumberedList> };

export function readNumbering(part: Uint8Array | undefined): NumberingPart {
  const definitions = new Map<string, ListDefinition>();
  const lists = new Map<string, NumberedList>();
  if (part === undefined) return { definitions, lists };
  for (const element of descendants(readXmlTree(part), new Set(['abstractNum', 'num']))) {
    if (element.name === 'abstractNum')
      definitions.set(attributeOf(element, 'abstractNumId') ?? '', {
        levels: levelsOf(element),
        linkedStyle: propertyOf(element, 'numStyleLink') ?? '',
      });
    else lists.set(attributeOf(element, 'numId') ?? '', listOf(element));
  }
  return { definitions, lists };
}

function listOf(element: XmlElement): NumberedList {
  const starts = new Map<number, number>();
  const levels = new Map<number, NumberingLevel>();
  for (const override of childrenOf(element, 'lvlOverride')) {
    const level = Number(attributeOf(override, 'ilvl') ?? 0);
    const start = propertyOf(override, 'startOverride');
    if (start !== undefined) starts.set(level, Number(start) || 0);
    for (const [at, changed] of levelsOf(override)) levels.set(at, changed);
  }
  return { definition: propertyOf(element, 'abstractNumId') ?? '', starts, levels };
}

/** A longer label would be longer than the document. */
const LABEL_MAX_LENGTH = 200;

function levelsOf(element: XmlElement): Map<number, NumberingLevel> {
  return new Map(
    childrenOf(element, 'lvl').map((level) => [
      Number(attributeOf(level, 'ilvl') ?? 0),
      {
        // 17.9.25: without it numbers start at zero.
        start: Number(propertyOf(level, 'start') ?? 0) || 0,
        format: formatOf(level),
        text: (propertyOf(level, 'lvlText') ?? '').slice(0, LABEL_MAX_LENGTH),
        isLegal: isSwitchedOn(childOf(level, 'isLgl')),
        restart: restartOf(level),
        style: propertyOf(level, 'pStyle') ?? '',
      },
    ]),
  );
}

/** The number format. One of `custom` kind shows an example: `001, 002, 003, ...` are numbers of three digits. */
function formatOf(level: XmlElement): string {
  const [format] = descendants(level, new Set(['numFmt']));
  const name = attributeOf(format, 'val') ?? 'decimal';
  const example =
    name === 'custom' ? /^0+1(?=,|$)/.exec(attributeOf(format, 'format') ?? '')?.[0] : undefined;
  return example === undefined ? name : `digits ${example.length}`;
}

function restartOf(level: XmlElement): number | undefined {
  const restart = propertyOf(level, 'lvlRestart');
  return restart === undefined ? undefined : Number(restart) || 0;
}

function propertyOf(element: XmlElement, name: string): string | undefined {
  return attributeOf(childOf(element, name), 'val');
}
