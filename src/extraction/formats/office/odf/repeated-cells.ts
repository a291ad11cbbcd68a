/** Writes out the cells and rows that a file names once with their number (OpenDocument 1.3 part 3, 19.673, 19.677). */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute, type XmlEvents } from '../../../markup/read-xml.ts';

/**
 * Events that repeated cells and rows of one file may add. Sheets fill up their last row and column with empty ones.
 */
const ADDED_EVENTS_MAX = 200_000;

const CELL_COUNTS = new Map([
  ['table-cell', 'number-columns-repeated'],
  ['covered-table-cell', 'number-columns-repeated'],
]);
/** Rows of tables that stand in repeated rows are not repeated: they would multiply with each other. */
const COUNTS = new Map([...CELL_COUNTS, ['table-row', 'number-rows-repeated']]);

type Event = (target: Required<XmlEvents>) => void;
/** The element that is being recorded because it is repeated. */
type Recording = { count: number; isCell: boolean; depth: number; events: Event[]; hasText: boolean };

/** `onLimit` is called where repeated cells are read once only, since they are too many. */
export function expandRepeated(target: Required<XmlEvents>, onLimit: () => void): Required<XmlEvents> {
  let left = ADDED_EVENTS_MAX;
  const write = ({ events, count }: Recording, to: Required<XmlEvents>): void => {
    const added = events.length * (count - 1);
    const isWithinBound = added <= left;
    if (isWithinBound) left -= added;
    else onLimit();
    for (let i = isWithinBound ? count : 1; i > 0; i--) for (const event of events) event(to);
  };
  return expander(target, write, COUNTS);
}

type Write = (recording: Recording, to: Required<XmlEvents>) => void;

/** Creates what writes the recordings of `target` that have ended. */
function createEnds(target: Required<XmlEvents>, write: Write) {
  /** Empty repeated cells: they count where a cell with text follows in their row. */
  let held: Recording[] = [];
  const settle = () => {
    for (const empty of held) write(empty, target);
    held = [];
  };
  return {
    settle,
    drop() {
      held = [];
    },
    end(ended: Recording): void {
      if (ended.isCell && !ended.hasText) {
        held.push(ended);
        return;
      }
      settle();
      const repeated = ended.hasText ? ended : { ...ended, count: 1 };
      write(repeated, ended.isCell ? target : expander(target, write, CELL_COUNTS));
    },
  };
}

function beginRecording(name: string, attributes: Attributes, count: number): Recording {
  const once = withoutCount(attributes);
  const events = [(to: Required<XmlEvents>) => to.open(name, once)];
  return { count, isCell: name !== 'table-row', depth: 1, events, hasText: false };
}

function expander(
  target: Required<XmlEvents>,
  write: Write,
  counts: ReadonlyMap<string, string>,
): Required<XmlEvents> {
  let recording: Recording | undefined;
  const ends = createEnds(target, write);
  return {
    open(name, attributes) {
      if (recording) {
        recording.depth++;
        recording.events.push((to) => to.open(name, attributes));
        return;
      }
      const count = countOf(counts.get(name), attributes);
      if (count > 1) recording = beginRecording(name, attributes, count);
      else {
        if (COUNTS.has(name)) ends.settle();
        target.open(name, attributes);
      }
    },
    close(name) {
      if (!recording) {
        if (name === 'table-row') ends.drop();
        target.close(name);
        return;
      }
      recording.events.push((to) => to.close(name));
      if (--recording.depth > 0) return;
      const ended = recording;
      recording = undefined;
      ends.end(ended);
    },
    text(written) {
      if (!recording) return target.text(written);
      recording.hasText ||= /\S/.test(written);
      recording.events.push((to) => to.text(written));
    },
  };
}

function countOf(repeated: string | undefined, attributes: Attributes): number {
  const count = repeated === undefined ? 1 : Number(attribute(attributes, repeated) ?? 1);
  return count > 1 ? Math.floor(count) : 1;
}

const withoutCount = (attributes: Attributes): Attributes =>
  new Map([...attributes].filter(([name]) => !name.endsWith('-repeated')));
