/** The destinations of an RTF file: groups whose first word says what they hold. */
import type { UnreadParts } from '../../office/unread.ts';
import type { RtfFonts } from '../fonts.ts';
import type { BeginGroup, Destination, Group } from '../groups.ts';
import type { RtfBody } from '../layout/body.ts';
import type { RtfListTable } from '../list-table.ts';
import type { RtfStyles } from '../styles.ts';
import { readEquation } from './equations.ts';
import { fieldGroups } from './field-groups.ts';
import { noteGroups } from './note-groups.ts';
import { objectGroups } from './object-groups.ts';

/** Groups that hold no text of the document, or another form of text that is read. */
const SKIPPED = new Set(
  (
    'colortbl revtbl rsidtbl generator info objdata filetbl themedata colorschememapping latentstyles datastore ' +
    'xmlnstbl mmathPr mmathPict template nonshppict bkmkstart bkmkend datafield shprslt wgrffmtfilter passwordhash ' +
    'nonesttables xe tc tcn rxe abiframeprops'
  ).split(' '),
);

export type RtfDestinations = {
  /** The document. */
  text: Destination;
  /** Takes a control word, which may begin a destination in its group. */
  begin(group: Group, name: string, parameter: number | undefined): void;
};

export type DescribingParts = {
  fonts: RtfFonts;
  styles: RtfStyles;
  lists: RtfListTable;
  unread: UnreadParts;
};

export function rtfDestinations(body: RtfBody, parts: DescribingParts): RtfDestinations {
  const text: Destination = {
    write: (group, written) => body.text(written, group.position),
    word: (_, name, parameter) => body.control(name, parameter),
  };
  /** Begins a group that stands apart from the text around it, and has none of its look. */
  const beginApart = (group: Group, end: () => void) => {
    Object.assign(group, { destination: text, position: undefined, isHidden: false, end });
  };
  const readLabel: BeginGroup = (group) => captureLabel(group, { body, text });
  const beginners = new Map<string, BeginGroup>([
    ['fonttbl', to(parts.fonts.destination)],
    ['stylesheet', to(parts.styles.destination)],
    ['listtable', to(parts.lists.lists)],
    ['listoverridetable', to(parts.lists.overrides)],
    ['listtext', readLabel],
    ['pntext', readLabel],
    // The paragraphs around them hold several equations.
    ['moMathPara', () => {}],
    ['moMath', (group) => readEquation(group, (equation) => body.text(equation, undefined))],
    // These only hold other groups, or describe rows.
    ...['shpinst', 'do', 'shppict', 'nesttableprops'].map((name): [string, BeginGroup] => [name, () => {}]),
    ...noteGroups(body, beginApart),
    ...fieldGroups(body, beginApart),
    ...objectGroups(body, parts.unread),
  ]);
  return {
    text,
    begin(group, name, parameter) {
      if (group.isSkipped) return;
      const begin = beginners.get(name);
      if (SKIPPED.has(name) || (group.isIgnorable && !begin)) group.isSkipped = true;
      else begin?.(group, parameter);
      group.isIgnorable = false;
    },
  };
}

/** AbiWord puts whole paragraphs into the groups of labels. A label with a line end is text. */
function captureLabel(group: Group, { body, text }: { body: RtfBody; text: Destination }): void {
  const pieces: string[] = [];
  let isLabel = true;
  group.destination = {
    write(inner, written) {
      if (isLabel) pieces.push(written);
      else text.write(inner, written);
    },
    word(inner, name, parameter) {
      if (isLabel && ENDS.has(name)) {
        isLabel = false;
        body.text(pieces.join('').trim(), inner.position);
      }
      if (!isLabel) text.word?.(inner, name, parameter);
    },
  };
  group.end = () => {
    if (isLabel) body.label(pieces.join(''));
  };
}

const ENDS = new Set(['par', 'cell', 'row', 'sect']);

const to =
  (destination: Destination): BeginGroup =>
  (group) => {
    group.destination = destination;
  };
