/** Recognises the marks of notes that are links and no superscripts: their style, which is not read, raises them. */
import { LINES, PARAGRAPHS } from '../../markup/html-elements.ts';
import type { Attributes } from '../../markup/markup-tokens.ts';
import type { HtmlEvents } from '../../markup/open-elements.ts';

/** `12`, `[3]`, `(a)`, `iv`, `**` */
const MARK = /^\s*[[(]?(?:\d{1,3}|[a-z]|[ivx]{2,4}|[*†‡]{1,3})[\])]?\s*$/i;
/** A link to the heading that it stands in, or back to the mark of a note. */
const ANCHOR = /^\s*[¶#§🔗⚓↩↑⬆^]\p{M}*\s*$/u;
/** What a mark may touch: the end of a word or sentence. */
const TOUCHED = /[\p{L}\p{M}\p{N}.,;:!?"'”’»)\]]/u;
/** What belongs to the label of a note: `1.`, `1)` */
const ENDS_LABEL = /^[.:)\]]/;
/** A link with more in it is no mark. */
const MARK_MAX_EVENTS = 8;

const NO_ATTRIBUTES: Attributes = new Map();

/** `depth`: the number of open elements inside the link. */
type Link = { events: (() => void)[]; text: string; depth: number };

/** The line so far: its last character, empty at its beginning, and whether it ends with the label of a note. */
function createLine() {
  let last = '';
  let isAfterLabel = false;
  return {
    last: () => last,
    beginAt(name: string): void {
      if (!PARAGRAPHS.has(name) && !LINES.has(name)) return;
      last = '';
      isAfterLabel = false;
    },
    follow(written: string): void {
      if (last !== '' || written.trim() !== '') last = written.slice(-1) || last;
    },
    /** The text of a link; where it begins the line and `isMark`, a label. */
    followLink(written: string, isMark: boolean): void {
      isAfterLabel = isMark && last === '';
      this.follow(written);
    },
    /** Text apart from a label before it. */
    apart(written: string): string {
      const isApart = isAfterLabel && !ENDS_LABEL.test(written);
      isAfterLabel = false;
      return isApart ? ` ${written}` : written;
    },
  };
}

/** Writes a mark as a superscript. */
function raise({ open, close, text }: HtmlEvents, mark: string): void {
  open('sup', NO_ATTRIBUTES);
  text(mark.trim());
  close('sup');
}

const leadsToPlace = (name: string, attributes: Attributes): boolean =>
  name === 'a' && attributes.get('href')?.includes('#') === true;

/**
 * Passes events on. A link to a place that touches the word before it and holds a mark becomes a superscript. Where
 * it begins a line, it is the label of the note, which stands apart from the note's text. A link that is only a sign
 * is left out.
 */
export function withNoteMarks(events: HtmlEvents): HtmlEvents {
  const { open, close, text } = events;
  let link: Link | undefined;
  const line = createLine();
  const pass = (event: () => void): void => {
    if (!link) event();
    else if (link.events.push(event) > MARK_MAX_EVENTS) endLink('');
  };
  const endLink = (mark: string): void => {
    const { events: waiting, text: written } = link ?? { events: [], text: '' };
    link = undefined;
    const isMark = MARK.test(mark);
    if (isMark && TOUCHED.test(line.last())) raise(events, mark);
    else if (!ANCHOR.test(mark)) for (const event of waiting) event();
    line.followLink(written, isMark);
  };
  return {
    open(name, attributes) {
      line.beginAt(name);
      if (link) link.depth++;
      else if (leadsToPlace(name, attributes)) link = { events: [], text: '', depth: 0 };
      pass(() => open(name, attributes));
    },
    close(name) {
      pass(() => close(name));
      line.beginAt(name);
      if (!link) return;
      link.depth--;
      if (link.depth < 0) endLink(link.text);
    },
    text(written) {
      if (link) link.text += written;
      else line.follow(written);
      const apart = line.apart(written);
      pass(() => text(apart));
    },
  };
}
