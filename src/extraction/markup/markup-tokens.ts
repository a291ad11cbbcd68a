/** Splits HTML or XML into start tags, end tags and text, in linear time. */
import { Tokenizer } from 'htmlparser2';

export type Attributes = ReadonlyMap<string, string>;

/** Element names come as written in the file. */
export type MarkupTokens = {
  startTag(name: string, attributes: Attributes, isSelfClosing: boolean): void;
  endTag(name: string): void;
  text(text: string): void;
};

/**
 * Only character references and entities like `&amp;` are decoded.
 * `attributeKey`: an attribute's name as written → its key in the map; undefined skips the attribute.
 * Uses htmlparser2's tokenizer, because its parser moves the whole stack of open elements for every tag
 * (100,000 nested elements took it 5 s).
 */
export function tokeniseMarkup(
  markup: string,
  { xmlMode, attributeKey }: { xmlMode: boolean; attributeKey(written: string): string | undefined },
  { startTag, endTag, text }: MarkupTokens,
): void {
  let name = '';
  let key: string | undefined;
  let attributes = new Map<string, string>();
  const addToAttribute = (value: string) => {
    if (key !== undefined) attributes.set(key, (attributes.get(key) ?? '') + value);
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true, xmlMode },
    {
      onopentagname(start, end) {
        name = markup.slice(start, end);
        attributes = new Map();
      },
      onattribname(start, end) {
        key = attributeKey(markup.slice(start, end));
        addToAttribute('');
      },
      onattribdata: (start, end) => addToAttribute(markup.slice(start, end)),
      onattribentity: (codePoint) => addToAttribute(String.fromCodePoint(codePoint)),
      onattribend() {},
      onopentagend: () => startTag(name, attributes, false),
      onselfclosingtag: () => startTag(name, attributes, true),
      onclosetag: (start, end) => endTag(markup.slice(start, end)),
      ontext: (start, end) => text(markup.slice(start, end)),
      ontextentity: (codePoint) => text(String.fromCodePoint(codePoint)),
      oncdata: (start, end, offset) => text(markup.slice(start, end - offset)),
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  );
  tokenizer.write(markup);
  tokenizer.end();
}
