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
/** A link with more in it is no mark. */
const MARK_MAX_EVENTS = 8;

const NO_ATTRIBUTES: Attributes = new Map();

/** `depth`: the number of open elements inside the link. */
type Link = { events: (() => void)[]; text: string; depth: number };

/**
 * Passes events on. A link to a place that touches the word before it and holds a mark becomes a superscript. Where
 * it begins a line, it is the label of the note, which stands apart from the note's text. A link that is only a sign
 * is left out.
 */
export function withNoteMarks({ open, close, text }: HtmlEvents): HtmlEvents {
  let link: Link | undefined;
  /** The last character of the line. */
  let last = '';
  const pass = (event: () => void): void => {
    if (!link) {
      event();
      return;
    }
    link.events.push(event);
    if (link.events.length > MARK_MAX_EVENTS) endLink('');
  };
  const follow = (written: string): void => {
    if (last !== '' || written.trim() !== '') last = written.slice(-1) || last;
  };
  const endLink = (mark: string): void => {
    const { events, text: written } = link ?? { events: [], text: '' };
    link = undefined;
    const isMark = MARK.test(mark);
    if (isMark && TOUCHED.test(last)) {
      open('sup', NO_ATTRIBUTES);
      text(mark.trim());
      close('sup');
    } else if (!ANCHOR.test(mark)) for (const event of events) event();
    if (isMark && last === '') text(' ');
    follow(written);
  };
  return {
    open(name, attributes) {
      if (PARAGRAPHS.has(name) || LINES.has(name)) last = '';
      if (link) link.depth++;
      else if (name === 'a' && attributes.get('href')?.includes('#'))
        link = { events: [], text: '', depth: 0 };
      pass(() => open(name, attributes));
    },
    close(name) {
      pass(() => close(name));
      if (PARAGRAPHS.has(name) || LINES.has(name)) last = '';
      if (!link) return;
      link.depth--;
      if (link.depth < 0) endLink(link.text);
    },
    text(written) {
      if (link) link.text += written;
      else follow(written);
      pass(() => text(written));
    },
  };
}
