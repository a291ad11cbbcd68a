/** Reads HTML and XHTML as start tags, end tags and text in proper nesting, however badly the page nests them. */
import { type Attributes, tokeniseMarkup } from './markup-tokens.ts';
import { type HtmlEvents, openElements } from './open-elements.ts';

/** Attributes that affect the text. The others are skipped. */
const READ_ATTRIBUTES = new Set(
  (
    'hidden aria-hidden role epub:type style class id href alt srcdoc colspan rowspan start type value reversed ' +
    'alttext linethickness display open close separators x y dy checked selected'
  ).split(' '),
);

/**
 * Reads a page in linear time. Names come in lower case.
 * `isXml`: `<div/>` is a whole element, as in XHTML; in HTML it is a start tag. By default the page decides.
 */
export function readHtml(
  html: string,
  events: HtmlEvents,
  { isXml = XML_DECLARATION.test(html) }: { isXml?: boolean } = {},
): void {
  const elements = openElements(events, { isXml });
  const names = elementNames();
  tokeniseMarkup(
    html,
    { xmlMode: false, attributeKey },
    {
      startTag(written, attributes, isSelfClosing) {
        names.declare(attributes);
        const name = names.nameOf(written);
        elements.open(name, attributes);
        const isWhole = isXml || name.includes(':') || FOREIGN.some((root) => elements.count(root) > 0);
        if (isSelfClosing && isWhole) elements.close(name);
      },
      endTag: (written) => elements.close(names.nameOf(written)),
      text: elements.text,
    },
  );
  elements.closeAll();
}

const XML_DECLARATION = /^\s*<\?xml\s/;
/** Elements of other languages in HTML (HTML standard, 13.1.2): `/>` ends each element inside them. */
const FOREIGN = ['svg', 'math'];

const XMLNS = 'xmlns:';

function attributeKey(written: string): string | undefined {
  const name = written.toLowerCase();
  return READ_ATTRIBUTES.has(name) || name.startsWith(XMLNS) ? name : undefined;
}

/**
 * Languages whose elements have one name with any prefix: `<x:p>` is `p`, `<any:header>` of inline XBRL `ix:header`.
 */
const PREFIXES: [namespace: RegExp, prefix: string][] = [
  [/^http:\/\/www\.w3\.org\/(?:1999\/xhtml|2000\/svg|1998\/Math\/MathML)$/, ''],
  [/^http:\/\/www\.xbrl\.org\/\d+\/inlineXBRL$/, 'ix:'],
];

/** The names of elements, by the namespaces that were declared so far. */
function elementNames() {
  const prefixes = new Map<string, string>();
  return {
    declare(attributes: Attributes): void {
      for (const [key, value] of attributes) {
        if (!key.startsWith(XMLNS)) continue;
        const prefix = PREFIXES.find(([namespace]) => namespace.test(value.trim()))?.[1];
        if (prefix !== undefined) prefixes.set(key.slice(XMLNS.length), prefix);
      }
    },
    nameOf(written: string): string {
      const name = written.toLowerCase();
      const colon = name.indexOf(':');
      const prefix = colon < 0 ? undefined : prefixes.get(name.slice(0, colon));
      return prefix === undefined ? name : prefix + name.slice(colon + 1);
    },
  };
}
