/** Reads books in FictionBook 2: title, authors, chapters, verses, notes, without the pictures that follow the text. */
import { decodeText } from '../decode-text.ts';
import type { ExtractedFile } from '../extracted-file.ts';
import type { Attributes } from '../markup/markup-tokens.ts';
import { readXml } from '../markup/read-xml.ts';
import { childrenOf, textOf, type XmlElement, type XmlNode } from '../markup/xml-tree.ts';
import { type HtmlRenderer, renderHtml, writeElement } from '../rendering/html-renderer.ts';
import { type Translation, type Translator, translating } from '../rendering/translate-xml.ts';
import { cutOff } from './web/cut-off.ts';

const ROOT = /^(?:\s|<\?[^>]*>|<!--(?:(?!-->).)*-->)*<(?:\w+:)?FictionBook[\s>]/s;

/** The root element is looked for in this many bytes. */
const HEAD_LENGTH = 4096;

/** Whether an XML document is such a book. */
export const isFictionBook = (bytes: Uint8Array): boolean =>
  ROOT.test(decodeText(bytes.subarray(0, HEAD_LENGTH), { markup: 'xml' }));

/** @throws FILE_TOO_COMPLEX */
export function extractFictionBook(bytes: Uint8Array): ExtractedFile {
  const renderer = renderHtml();
  const isWhole = readXml(bytes, translating(renderer, bookTranslator(renderer)));
  return {
    extracted: renderer.finish(),
    warnings: isWhole ? [] : cutOff('elements of it are not closed'),
  };
}

/** Facts about the file and its pictures, which no reader sees as text. */
const UNSEEN = /^(?:binary|coverpage|custom-info|document-info|image|src-title-info|stylesheet)$/;
const SAME = /^(?:p|table|tr|th|td|sup|sub|code)$/;
const BLOCK = /^(?:epigraph|cite|poem|stanza|v|annotation|text-author|date)$/;

function bookTranslator(renderer: HtmlRenderer): Translator {
  /** Open bodies and sections: a title is a heading of that level. */
  let level = 0;
  let isInTitle = false;
  let isInNotes = false;
  return {
    open(name, attributes): Translation {
      if (UNSEEN.test(name)) return 'skip';
      if (name === 'title-info') return { collect: (element) => writeTitle(renderer, element) };
      if (name === 'publish-info')
        return { collect: ({ children }) => writeElement(renderer, 'p', factsOf(children).join(', ')) };
      if (name === 'body') isInNotes = attributes.get('name') !== undefined;
      if (name === 'body' || name === 'section') level++;
      if (name === 'title') isInTitle = true;
      // Titles of notes are their numbers.
      if (name === 'title') return { element: isInNotes ? 'div' : `h${Math.min(Math.max(level, 1), 6)}` };
      if (name === 'subtitle') return { element: `h${Math.min(level + 1, 6)}` };
      if (name === 'p' && isInTitle) return undefined;
      if (name === 'a') return isNote(attributes) ? { element: 'sup' } : undefined;
      if (SAME.test(name)) return { element: name, attributes };
      return BLOCK.test(name) ? { element: 'div' } : undefined;
    },
    close(name) {
      if (name === 'body' || name === 'section') level--;
      if (name === 'title') isInTitle = false;
      if (name === 'p' && isInTitle) renderer.text(' ');
    },
  };
}

const isNote = (attributes: Attributes): boolean => attributes.get('type') === 'note';

/** The title, its authors and what the book is about. */
function writeTitle(renderer: HtmlRenderer, info: XmlElement): void {
  writeElement(renderer, 'h1', childrenOf(info, 'book-title').map(wordsOf).join(' '));
  writeElement(renderer, 'p', childrenOf(info, 'author').map(nameOf).join(', '));
  for (const annotation of childrenOf(info, 'annotation'))
    for (const paragraph of annotation.children) writeElement(renderer, 'p', wordsOf(paragraph));
}

/** Without addresses and identifiers. */
const nameOf = (author: XmlElement): string =>
  ['first-name', 'middle-name', 'last-name', 'nickname']
    .flatMap((part) => childrenOf(author, part).map(wordsOf))
    .join(' ');

const factsOf = (nodes: XmlNode[]): string[] => nodes.map(wordsOf).filter((fact) => fact !== '');
const wordsOf = (node: XmlNode): string => textOf(node).replace(/\s+/g, ' ').trim();
