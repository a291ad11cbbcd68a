/** Reads XML: drawings, books, and data, whose elements with text become lines, and those around them headings. */
import type { ExtractedText } from '../../indexing/split/extracted-text.ts';
import type { ExtractedFile } from '../extracted-file.ts';
import { corrupt } from '../extraction-error.ts';
import { readXml } from '../markup/read-xml.ts';
import { extendPath, structuredTextWriter } from '../rendering/structured-text.ts';
import { superscript } from '../rendering/superscript.ts';
import { extractFictionBook, isFictionBook } from './fiction-book.ts';
import { cutOff } from './web/cut-off.ts';
import { extractSvg, isSvg } from './web/svg.ts';

/** Attributes with text for people. Others hold identifiers, addresses and shapes. */
const TEXT_ATTRIBUTES = /^(?:alt|caption|content|description|label|name|summary|text|title|value)$/;

/** Elements inside a text that begin or end a line of it, in the languages of documents. */
const LINES =
  /^(?:br|lb|line-?break|p|para|simpara|li|listitem|item|title|row|entry|td|cell|div|footnote|note|fn)$/i;
const RAISED = /^(?:sup|superscript)$/i;
/** Longer than the longest unit, variable or Roman number. */
const BEFORE_MARK_LENGTH = 16;

/**
 * `text`: the pieces of an element that has text of its own, including the text of the elements inside it. `id`: its
 * number in the file. `texts`: how many elements with a text have been read inside it.
 */
type OpenElement = {
  id: number;
  name: string;
  path: readonly string[];
  text: string[] | undefined;
  texts: number;
};

/** @throws FILE_CORRUPT where there is no element, FILE_TOO_COMPLEX */
export function extractXml(bytes: Uint8Array): ExtractedFile {
  if (isSvg(bytes)) return extractSvg(bytes);
  if (isFictionBook(bytes)) return extractFictionBook(bytes);
  const found = readData(bytes, new Set());
  // Whether an element is a text shows after what stands in it. Data alone are read once.
  const { extracted, isWhole } = found.mixed.size > 0 ? readData(bytes, found.mixed) : found;
  return { extracted, warnings: isWhole ? [] : cutOff('elements of it are not closed') };
}

type Data = { extracted: ExtractedText; isWhole: boolean; mixed: Set<number> };

/** `known`: the elements that are one text, as the first reading has found them. */
function readData(bytes: Uint8Array, known: ReadonlySet<number>): Data {
  const writer = structuredTextWriter();
  const mixed = new Set<number>();
  const open: OpenElement[] = [];
  let elements = 0;
  /** The open elements inside an element that has text of its own. */
  const inline = inlineElements();
  const isWhole = readXml(bytes, {
    open(name, attributes) {
      elements++;
      const parent = open.at(-1);
      if (parent?.text) return inline.open(name, parent.text);
      const path = parent ? extendPath(parent.path, parent.name) : [];
      open.push({ id: elements, name, path, text: known.has(elements) ? [] : undefined, texts: 0 });
      for (const [attribute, value] of attributes)
        if (TEXT_ATTRIBUTES.test(attribute)) writer.value(extendPath(path, name), attribute, value);
    },
    close(closed) {
      const element = open.at(-1);
      if (inline.close(closed, element?.text ?? [])) return;
      const { name, path, text, texts } = open.pop() as OpenElement; // every close has its open
      if (text) writer.value(path, name, text.join('').replace(/\s+/g, ' ').trim());
      else writer.separate();
      const parent = open.at(-1);
      if (parent) parent.texts += text ? 1 : texts;
    },
    text(written) {
      const element = open.at(-1);
      if (!element || (!element.text && written.trim() === '')) return;
      // Behind one element it goes on with its text: `<p><b>Note:</b> closed</p>`. Behind several it is a stray one.
      if (!element.text && element.texts === 1) mixed.add(element.id);
      element.text ??= [];
      element.text.push(written);
    },
  });
  if (elements === 0) throw corrupt('The file holds no XML element.');
  return { extracted: writer.finish(), isWhole, mixed };
}

/** Follows the elements inside a text. */
function inlineElements() {
  const starts: number[] = [];
  return {
    open(name: string, text: string[]): void {
      if (LINES.test(name)) text.push(' ');
      starts.push(text.length);
    },
    /** Returns false where none is open. */
    close(name: string, text: string[]): boolean {
      const start = starts.pop();
      if (start === undefined) return false;
      if (LINES.test(name)) text.push(' ');
      if (RAISED.test(name)) {
        const mark = text.splice(start).join('').trim();
        const before = text.slice(-BEFORE_MARK_LENGTH).join('').slice(-BEFORE_MARK_LENGTH);
        text.push(superscript(/[\p{L}\p{N}\p{P}]$/u.test(before) ? before : '', mark));
      }
      return true;
    },
  };
}
