/** The state of an RTF group: it is inherited by the groups inside, and ends with the group. */
import type { TextPosition } from '../../rendering/text-runs.ts';

/** What takes the characters and the control words of a group: the document, or a part that describes it. */
export type Destination = {
  write(group: Group, text: string): void;
  /** Takes a control word that does not change the group itself. */
  word?(group: Group, name: string, parameter: number | undefined): void;
};

export type Group = {
  /** The group holds no text, and no groups with text: colours, private data of programs. */
  isSkipped: boolean;
  destination: Destination;
  /** The next control word names a destination that programs may ignore. */
  isIgnorable: boolean;
  font: number;
  /** The number of fallback characters after a `\u` character, for programs that do not know `\u`. */
  fallbackLength: number;
  position: TextPosition | undefined;
  isHidden: boolean;
  isDeleted: boolean;
  /** Of this group alone: what ends with it. */
  end: (() => void) | undefined;
};

export const outermostGroup = (destination: Destination): Group => ({
  isSkipped: false,
  destination,
  isIgnorable: false,
  font: -1,
  fallbackLength: 1,
  position: undefined,
  isHidden: false,
  isDeleted: false,
  end: undefined,
});

/** Begins a destination in a group, or takes another control word that concerns one. */
export type BeginGroup = (group: Group, parameter: number | undefined) => void;

/** For groups whose own text is no text of the document. Groups inside may have another destination. */
export const NOWHERE: Destination = { write() {} };

/** Gives the text of a group to `done` when the group ends. */
export function captureText(group: Group, done: (text: string) => void): void {
  const pieces: string[] = [];
  group.destination = { write: (_, text) => pieces.push(text) };
  group.end = () => done(pieces.join(''));
}

/** Handles the control words that change the group's state alone. */
export function setsGroup(group: Group, name: string, parameter: number | undefined): boolean {
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
