/** Reads XML as elements and text in proper nesting, without document types and external entities. */
import { decodeText } from '../decode-text.ts';
import { tooComplex } from '../extraction-error.ts';
import { NESTING_MAX } from '../extraction-limits.ts';
import { type Attributes, tokeniseMarkup } from './markup-tokens.ts';

/** Names come without prefixes, which producers choose freely. Every opened element is closed, innermost first. */
export type XmlEvents = {
  open(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
};

/** The value of an attribute, whose name is kept as written in the file, with any prefix. */
export function attribute(attributes: Attributes, name: string): string | undefined {
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
 * at the end. Returns whether there were none: the document has not been cut off.
 * @throws FILE_TOO_COMPLEX for more than XML_DEPTH_MAX nested elements
 */
export function readXml(bytes: Uint8Array, { open, close = () => {}, text = () => {} }: XmlEvents): boolean {
  const xml = withoutDoctype(decodeText(bytes, { markup: 'xml' }));
  const elements = openElements({ open, close });
  tokeniseMarkup(
    xml,
    { xmlMode: true, attributeKey: (written) => written },
    {
      startTag(name, attributes, isSelfClosing) {
        elements.open(localName(name), attributes);
        if (isSelfClosing) elements.closeLast();
      },
      endTag: (name) => elements.close(localName(name)),
      text,
    },
  );
  return elements.closeAll() === 0;
}

/** The stack of open elements. `closeAll` returns how many it closed. */
function openElements({ open: onOpen, close: onClose }: Required<Pick<XmlEvents, 'open' | 'close'>>) {
  const open: string[] = [];
  const closeLast = () => onClose(open.pop() as string); // only called while elements are open
  const closeFrom = (depth: number) => {
    while (depth >= 0 && open.length > depth) closeLast();
  };
  return {
    open(name: string, attributes: Attributes): void {
      if (open.push(name) > NESTING_MAX)
        throw tooComplex(`The file nests more than ${NESTING_MAX} elements in each other.`);
      onOpen(name, attributes);
    },
    closeLast,
    close: (name: string) => closeFrom(open.lastIndexOf(name)),
    closeAll(): number {
      const closed = open.length;
      closeFrom(0);
      return closed;
    },
  };
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
