/** The state of an RTF group: it is inherited by the groups inside, and ends with the group. */
import type { TextPosition } from '../../rendering/text-runs.ts';

/**
 * Where characters go: to the document, or to what names fonts, styles, the numbers of lists, the authors and dates of
 * comments, the instruction of a field. Those of fonts are dropped.
 */
export type Destination = 'text' | 'fonts' | 'styles' | 'label' | 'author' | 'date' | 'instruction';

export type Group = {
  /** The group holds no text: colours, pictures, private data of programs. */
  isSkipped: boolean;
  destination: Destination;
  /** The next control word names a destination that programs may ignore. */
  isIgnorable: boolean;
  font: number;
  style: number;
  /** The number of fallback characters after a `\u` character, for programs that do not know `\u`. */
  fallbackLength: number;
  position: TextPosition | undefined;
  isHidden: boolean;
  isDeleted: boolean;
  /** Of this group alone: what ends with it. */
  end: (() => void) | undefined;
};

export const OUTERMOST: Readonly<Group> = {
  isSkipped: false,
  destination: 'text',
  isIgnorable: false,
  font: -1,
  style: 0,
  fallbackLength: 1,
  position: undefined,
  isHidden: false,
  isDeleted: false,
  end: undefined,
};

/** Handles the control words that change the group's state alone. */
export function setsGroup(group: Group, name: string, parameter: number | undefined): boolean {
  if (name === 's' && group.destination === 'styles') {
    group.style = parameter ?? 0;
    return true;
  }
  const set = SETTINGS.get(name);
  set?.(group, parameter);
  return set !== undefined;
}

/** Half points. */
const RAISED_BY_DEFAULT = 6;

const SETTINGS = new Map<string, (group: Group, parameter: number | undefined) => void>([
  ['f', setFont],
  ['deff', setFont],
  ['uc', (group, parameter = 1) => Object.assign(group, { fallbackLength: parameter })],
  ['super', (group, parameter) => setPosition(group, parameter === 0 ? undefined : 'sup')],
  ['sub', (group, parameter) => setPosition(group, parameter === 0 ? undefined : 'sub')],
  ['nosupersub', (group) => setPosition(group, undefined)],
  ['up', (group, parameter = RAISED_BY_DEFAULT) => setPosition(group, parameter > 0 ? 'sup' : undefined)],
  ['dn', (group, parameter = RAISED_BY_DEFAULT) => setPosition(group, parameter > 0 ? 'sub' : undefined)],
  // Character properties are reset, but not the mark of a deletion.
  ['plain', (group) => Object.assign(group, { position: undefined, isHidden: false })],
  ['v', (group, parameter) => Object.assign(group, { isHidden: parameter !== 0 })],
  ['deleted', (group, parameter) => Object.assign(group, { isDeleted: parameter !== 0 })],
]);

function setFont(group: Group, parameter = 0): void {
  group.font = parameter;
}

function setPosition(group: Group, position: TextPosition | undefined): void {
  group.position = position;
}
