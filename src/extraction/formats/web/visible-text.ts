/**
 * Translates what a page shows without writing it as text: descriptions of pictures, marks of notes, labels of lists,
 * fields of forms. Passes the foot of a table on at its end.
 */
import { altText } from '../../markup/alt-text.ts';
import { HEADINGS, isHidden, VOID } from '../../markup/html-elements.ts';
import type { Attributes } from '../../markup/markup-tokens.ts';
import type { HtmlEvents } from '../../markup/open-elements.ts';
import { readHtml } from '../../markup/read-html.ts';
import { withEquations } from './equations.ts';
import { withFormFields } from './form-fields.ts';
import { listLabels } from './list-labels.ts';
import { roleOf } from './navigation.ts';
import { withNoteMarks } from './note-marks.ts';
import { isRaised, raisedClasses } from './raised-text.ts';
import { withFeetLast } from './table-feet.ts';

/** In these a button shows or hides what follows, and its text is theirs. */
const DISCLOSING = new Set([...HEADINGS, 'summary', 'dt']);
/** Notes that books write at their mark, inside the paragraph (DPUB-ARIA 1.1, and EPUB 3 without the `doc-`). */
const NOTE_ROLES = new Set('doc-footnote doc-rearnote doc-endnote doc-note'.split(' '));
const INLINE = new Set('span a font small b i em'.split(' '));
const RENAMED = new Map([
  ['menu', 'ul'],
  ['dir', 'ul'],
  ['listing', 'pre'],
  ['xmp', 'pre'],
]);

/**
 * Passes events on, translated.
 * `raised`: the classes that style sheets beside the page raise. Those in the page are read.
 */
export function withVisibleText(events: HtmlEvents, raised: ReadonlySet<string> = new Set()): HtmlEvents {
  return withNoteMarks(withFormFields(withFeetLast(translated(events, raised))));
}

/** The number of open elements of a kind. */
type Depth = { disclosing: number; paragraph: number };

/** The element that draws as the reader sees it. `raised`: classes that are superscripts. */
function elementFor(
  name: string,
  attributes: Attributes,
  { depth, raised }: { depth: Depth; raised: ReadonlySet<string>[] },
): string {
  const role = roleOf(attributes);
  if (role === 'doc-noteref') return 'sup';
  if (depth.paragraph > 0 && NOTE_ROLES.has(role)) return 'note';
  if (depth.disclosing > 0 && name === 'button') return 'span';
  if (name === 'dialog' && attributes.has('open')) return 'div';
  if (INLINE.has(name) && isRaised(attributes, raised)) return 'sup';
  return RENAMED.get(name) ?? name;
}

function translated(events: HtmlEvents, raised: ReadonlySet<string>): HtmlEvents {
  const { open, close, text } = withEquations(events);
  const raisedHere = new Set<string>();
  const opened: { name: string; element: string }[] = [];
  const depth: Depth = { disclosing: 0, paragraph: 0 };
  const labels = listLabels();
  const drawn = drawnLines();
  const count = (name: string, added: 1 | -1): void => {
    if (DISCLOSING.has(name)) depth.disclosing += added;
    if (name === 'p') depth.paragraph += added;
  };
  return {
    open(name, attributes) {
      const page = name === 'iframe' && !isHidden(attributes) ? attributes.get('srcdoc') : undefined;
      if (page !== undefined) readInner(page, { open, close, text });
      if (name === 'img' && !isHidden(attributes)) text(` ${altText(attributes.get('alt'))} `);
      if (drawn.beginsLine(name, attributes)) text(' ');
      const element = elementFor(name, attributes, { depth, raised: [raised, raisedHere] });
      open(element, labels.open(name, shown(attributes)));
      if (VOID.has(name)) return;
      opened.push({ name, element });
      count(name, 1);
    },
    close(name) {
      const element = opened.pop()?.element ?? name; // every close has its open
      count(name, -1);
      labels.close(name);
      close(element);
    },
    text(written) {
      if (opened.at(-1)?.name === 'style') for (const name of raisedClasses(written)) raisedHere.add(name);
      text(written);
    },
  };
}

/** Reads the page in a frame, without the frames inside it: nested ones could take quadratic time. */
function readInner(page: string, events: HtmlEvents): void {
  events.open('div', new Map());
  readHtml(page, events);
  events.close('div');
}

/** Follows the text of drawings, which is placed line by line, and where letters are spaced, piece by piece. */
function drawnLines() {
  let y: string | undefined;
  return {
    beginsLine(name: string, attributes: Attributes): boolean {
      if (name === 'text') y = attributes.get('y');
      if (name !== 'tspan' || !attributes.has('x')) return false;
      const above = y;
      y = attributes.get('y') ?? y;
      return y !== above || attributes.has('dy');
    },
  };
}

/**
 * The attributes without the style that hides an equation from those who see its picture: wikis write each equation as
 * MathML and as a picture whose description is source code.
 */
function shown(attributes: Attributes): Attributes {
  if (!attributes.has('style') || !/math-?ml/i.test(attributes.get('class') ?? '')) return attributes;
  return new Map([...attributes].filter(([name]) => name !== 'style'));
}
