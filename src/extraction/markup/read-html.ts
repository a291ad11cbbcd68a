/** Reads HTML as start tags, end tags and text in proper nesting, however badly the page nests them. */
import { Tokenizer } from 'htmlparser2';
import { impliedEnds, VOID } from './html-elements.ts';

export type Attributes = Map<string, string>;

/** Events while a page is read. Every opened element is closed, innermost first, except void ones. */
export type TagEvents = {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
};

/** Attributes that affect the text. The others (styles, scripts, addresses) are skipped. */
const READ_ATTRIBUTES = new Set(['hidden', 'aria-hidden', 'role', 'style', 'start', 'alt']);

/**
 * Reads a page in linear time. Uses htmlparser2's tokenizer, because its parser moves the whole stack of open elements
 * for every tag (100,000 nested elements took it 5 s).
 */
export function readTags(html: string, events: TagEvents): void {
  const elements = openElements(events);
  let name = '';
  let attribute = '';
  let attributes: Attributes = new Map();
  const nameBetween = (start: number, end: number) => html.slice(start, end).toLowerCase();
  const addToAttribute = (value: string) => {
    if (READ_ATTRIBUTES.has(attribute)) attributes.set(attribute, (attributes.get(attribute) ?? '') + value);
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true, xmlMode: false },
    {
      onopentagname(start, end) {
        name = nameBetween(start, end);
        attributes = new Map();
      },
      onattribname(start, end) {
        attribute = nameBetween(start, end);
        addToAttribute('');
      },
      onattribdata: (start, end) => addToAttribute(html.slice(start, end)),
      onattribentity: (codePoint) => addToAttribute(String.fromCodePoint(codePoint)),
      onattribend() {},
      onopentagend: () => elements.open(name, attributes),
      onselfclosingtag: () => elements.open(name, attributes),
      onclosetag: (start, end) => elements.close(nameBetween(start, end)),
      ontext: (start, end) => events.text(html.slice(start, end)),
      ontextentity: (codePoint) => events.text(String.fromCodePoint(codePoint)),
      oncdata: (start, end, offset) => events.text(html.slice(start, end - offset)),
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend: () => elements.closeAll(),
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}

/** The stack of open elements; every element is pushed and popped once, so any page takes linear time. */
function openElements(events: TagEvents) {
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
