/** Reads HTML as start tags, end tags and text in proper nesting, however badly the page nests them. */
import { impliedEnds, VOID } from './html-elements.ts';
import { type Attributes, tokeniseMarkup } from './markup-tokens.ts';

/** Events while a page is read. Every opened element is closed, innermost first, except void ones. */
export type HtmlEvents = {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
};

/** Attributes that affect the text. The others (styles, scripts, addresses) are skipped. */
const READ_ATTRIBUTES = new Set(['hidden', 'aria-hidden', 'role', 'style', 'start', 'colspan', 'rowspan']);

/** Reads a page in linear time. */
export function readHtml(html: string, events: HtmlEvents): void {
  const elements = openElements(events);
  tokeniseMarkup(
    html,
    { xmlMode: false, attributeKey },
    {
      startTag: (name, attributes) => elements.open(name.toLowerCase(), attributes),
      endTag: (name) => elements.close(name.toLowerCase()),
      text: events.text,
    },
  );
  elements.closeAll();
}

function attributeKey(written: string): string | undefined {
  const name = written.toLowerCase();
  return READ_ATTRIBUTES.has(name) ? name : undefined;
}

/** The stack of open elements; every element is pushed and popped once, so any page takes linear time. */
function openElements(events: HtmlEvents) {
  const open: string[] = [];
  const counts = new Map<string, number>();
  const pop = () => {
    const name = open.pop() as string; // only called while the stack is not empty
    counts.set(name, (counts.get(name) ?? 0) - 1);
    events.close(name);
  };
  return {
    open(name: string, attributes: Attributes) {
      const ended = impliedEnds(name);
      while (ended.includes(open.at(-1) ?? '')) pop();
      events.open(name, attributes);
      if (VOID.has(name)) return;
      open.push(name);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    close(name: string) {
      if ((counts.get(name) ?? 0) === 0) return;
      while (open.at(-1) !== name) pop();
      pop();
    },
    closeAll() {
      while (open.length > 0) pop();
    },
  };
}
