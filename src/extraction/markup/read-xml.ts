/** Reads XML as elements and text in proper nesting, without document types and external entities. */
import { Tokenizer } from 'htmlparser2';
import { decodeText } from '../decode-text.ts';
import { tooComplex, XML_DEPTH_MAX } from '../extraction-limits.ts';

/** Attributes by their names as written in the file. */
export type XmlAttributes = ReadonlyMap<string, string>;

/** Names come without prefixes, which producers choose freely. Every opened element is closed, innermost first. */
export type XmlEvents = {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  text(text: string): void;
};

/** An attribute's value, with any prefix. */
export function attribute(attributes: XmlAttributes, name: string): string | undefined {
  const value = attributes.get(name);
  if (value !== undefined) return value;
  for (const [written, prefixed] of attributes) if (written.endsWith(`:${name}`)) return prefixed;
  return undefined;
}

/** What may precede a document type: white space, the XML declaration, comments, processing instructions. */
const PROLOG = /\s*(?:<\?.*?\?>|<!--.*?-->|$)/sy;
const DOCTYPE_START = /\s*<!DOCTYPE[^[>]*[[>]/iy;
/** The end of an internal subset. */
const SUBSET_END = /\]\s*>/g;

/** The end of the match of `pattern` at, or from, `start`; -1 without a match. */
function endOf(pattern: RegExp, xml: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(xml) ? pattern.lastIndex : -1;
}

/**
 * The document without its document type and internal subset, which could declare external and nested entities.
 * Only character references and entities like `&amp;` are decoded; other entities stay as written.
 * Searches once, before the root element, in linear time.
 */
function withoutDoctype(xml: string): string {
  let start = 0;
  for (let end = endOf(PROLOG, xml, start); end > start; end = endOf(PROLOG, xml, start)) start = end;
  const opened = endOf(DOCTYPE_START, xml, start);
  const end = opened > 0 && xml[opened - 1] === '[' ? endOf(SUBSET_END, xml, opened) : opened;
  return end < 0 ? xml : xml.slice(0, start) + xml.slice(end);
}

/**
 * Reads a document in linear time. Tolerates malformed XML: ignores end tags without a start, and closes open elements
 * at the end.
 * @throws FILE_TOO_COMPLEX for more than XML_DEPTH_MAX nested elements
 */
export function readXml(bytes: Uint8Array, events: XmlEvents): void {
  const xml = withoutDoctype(decodeText(bytes, { markup: 'xml' }));
  const elements = openElements(events);
  let name = '';
  let attributeName = '';
  let attributes = new Map<string, string>();
  const addToAttribute = (value: string) =>
    attributes.set(attributeName, (attributes.get(attributeName) ?? '') + value);
  const tokenizer = new Tokenizer(
    { decodeEntities: true, xmlMode: true },
    {
      onopentagname(start, stop) {
        name = localName(xml.slice(start, stop));
        attributes = new Map();
      },
      onattribname(start, stop) {
        attributeName = xml.slice(start, stop);
        addToAttribute('');
      },
      onattribdata: (start, stop) => addToAttribute(xml.slice(start, stop)),
      onattribentity: (codePoint) => addToAttribute(String.fromCodePoint(codePoint)),
      onattribend() {},
      onopentagend: () => elements.open(name, attributes),
      onselfclosingtag() {
        elements.open(name, attributes);
        elements.closeLast();
      },
      onclosetag: (start, stop) => elements.close(localName(xml.slice(start, stop))),
      ontext: (start, stop) => events.text(xml.slice(start, stop)),
      ontextentity: (codePoint) => events.text(String.fromCodePoint(codePoint)),
      oncdata: (start, stop, offset) => events.text(xml.slice(start, stop - offset)),
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend: () => elements.closeAll(),
    },
  );
  tokenizer.write(xml);
  tokenizer.end();
}

/** The stack of open elements. */
function openElements(events: XmlEvents) {
  const open: string[] = [];
  const closeLast = () => events.close(open.pop() as string); // only called while elements are open
  const closeFrom = (depth: number) => {
    while (depth >= 0 && open.length > depth) closeLast();
  };
  return {
    open(name: string, attributes: XmlAttributes): void {
      if (open.push(name) > XML_DEPTH_MAX)
        throw tooComplex(`The file nests more than ${XML_DEPTH_MAX} elements in each other.`);
      events.open(name, attributes);
    },
    closeLast,
    close: (name: string) => closeFrom(open.lastIndexOf(name)),
    closeAll: () => closeFrom(0),
  };
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
