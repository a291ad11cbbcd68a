/** What Outlook shows of appointments, tasks and contacts beside their texts: when, where, how to reach a person. */
import type { Storage } from '../../compound-file.ts';
import type { Properties } from './msg-properties.ts';

/** The sets of named properties, by the beginning of their GUIDs ([MS-OXPROPS] 1.3.2). */
const [APPOINTMENT, TASK, ADDRESS] = [0x00062002, 0x00062003, 0x00062004];

/** A property by its id, or by its id in a set. */
type Property = number | readonly [set: number, id: number];
type Shown = [name: string, kind: 'text' | 'time', property: Property];

const COMPANY = 0x3a16;
const CALENDAR: Shown[] = [
  ['Start', 'time', [APPOINTMENT, 0x820d]],
  ['End', 'time', [APPOINTMENT, 0x820e]],
  ['Repeats', 'text', [APPOINTMENT, 0x8232]],
  ['Place', 'text', [APPOINTMENT, 0x8208]],
];
/** By the class of the item. */
const SHOWN: [itemClass: RegExp, shown: Shown[]][] = [
  [/^IPM\.(?:Appointment|Schedule\.Meeting)/i, CALENDAR],
  [
    /^IPM\.Task/i,
    [
      ['Start', 'time', [TASK, 0x8104]],
      ['Due', 'time', [TASK, 0x8105]],
    ],
  ],
  [
    /^IPM\.Contact/i,
    [
      ['Title', 'text', 0x3a17],
      ['Department', 'text', 0x3a18],
      ['Company', 'text', COMPANY],
      ['Phone', 'text', 0x3a08],
      ['Second phone', 'text', 0x3a1b],
      ['Mobile', 'text', 0x3a1c],
      ['Home phone', 'text', 0x3a09],
      ['Fax', 'text', 0x3a24],
      ['E-mail', 'text', [ADDRESS, 0x8083]],
      ['Second e-mail', 'text', [ADDRESS, 0x8093]],
      ['Third e-mail', 'text', [ADDRESS, 0x80a3]],
      ['Address', 'text', [ADDRESS, 0x801b]],
      ['Home address', 'text', [ADDRESS, 0x801a]],
      ['Other address', 'text', [ADDRESS, 0x801c]],
      ['Web page', 'text', [ADDRESS, 0x802b]],
      ['Birthday', 'time', 0x3a42],
    ],
  ],
];

/** The id that a message file gives to a property of a set; undefined where it has none. */
export type NamedIds = (set: number, id: number) => number | undefined;

/** Lines of an item by their names, in order; '' where the item does not have one. */
export function itemLines(
  itemClass: string,
  { text, time }: Properties,
  namedId: NamedIds,
): [string, string][] {
  const shown = SHOWN.find(([pattern]) => pattern.test(itemClass))?.[1] ?? [];
  return shown.map(([name, kind, property]) => {
    const id = typeof property === 'number' ? property : namedId(...property);
    if (id === undefined) return [name, ''];
    return [name, kind === 'time' ? time(id) : text(id).replace(/\s+/g, ' ').trim()];
  });
}

/**
 * The streams of GUIDs and of entries ([MS-OXMSG] 2.2.3.1), which stand at the top of the file for all its messages.
 */
const [NAMES, GUIDS, ENTRIES] = ['__nameid_version1.0', '__substg1.0_00020102', '__substg1.0_00030102'];
const [GUID_LENGTH, ENTRY_LENGTH] = [16, 8];
/** Named properties have ids from here on. */
const NAMED_ID = 0x8000;
/** Two sets have numbers without a GUID in the stream. */
const KNOWN_SETS = 3;
/** The id of a property whose name is a text. */
const IS_TEXT = 1;

export function namedIds(top: Storage): NamedIds {
  const names = top.open(NAMES);
  const guids = names?.read(GUIDS) ?? Buffer.alloc(0);
  const entries = names?.read(ENTRIES) ?? Buffer.alloc(0);
  const ids = new Map<string, number>();
  for (let at = 0; at + ENTRY_LENGTH <= entries.length; at += ENTRY_LENGTH) {
    const kind = entries.readUInt16LE(at + 4);
    const guid = ((kind >> 1) - KNOWN_SETS) * GUID_LENGTH;
    if ((kind & IS_TEXT) !== 0 || guid < 0 || guid + GUID_LENGTH > guids.length) continue;
    const key = `${guids.readUInt32LE(guid)} ${entries.readUInt32LE(at)}`;
    ids.set(key, NAMED_ID + entries.readUInt16LE(at + 6));
  }
  return (set, id) => ids.get(`${set} ${id}`);
}
