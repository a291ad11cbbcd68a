/** Reads XML: a drawing, or data, whose elements with text become lines, and the elements around them headings. */
import type { ExtractedFile } from '../extracted-file.ts';
import { corrupt } from '../extraction-error.ts';
import { readXml } from '../markup/read-xml.ts';
import { extendPath, structuredTextWriter } from '../rendering/structured-text.ts';
import { cutOff } from './web/cut-off.ts';
import { extractSvg, isSvg } from './web/svg.ts';

/** Attributes with text for people. Others hold identifiers, addresses and shapes. */
const TEXT_ATTRIBUTES = /^(?:alt|caption|content|description|label|name|summary|text|title|value)$/;

/** `text`: the pieces of an element that has text of its own, including the text of the elements inside it. */
type OpenElement = { name: string; path: readonly string[]; text: string[] | undefined };

/** @throws FILE_CORRUPT where there is no element, FILE_TOO_COMPLEX */
export function extractXml(bytes: Uint8Array): ExtractedFile {
  return isSvg(bytes) ? extractSvg(bytes) : extractData(bytes);
}

function extractData(bytes: Uint8Array): ExtractedFile {
  const writer = structuredTextWriter();
  const open: OpenElement[] = [];
  let elements = 0;
  /** Number of open elements inside an element that has text of its own. */
  let inline = 0;
  const isWhole = readXml(bytes, {
    open(name, attributes) {
      elements++;
      const parent = open.at(-1);
      if (parent?.text) {
        inline++;
        return;
      }
      const path = parent ? extendPath(parent.path, parent.name) : [];
      open.push({ name, path, text: undefined });
      for (const [attribute, value] of attributes)
        if (TEXT_ATTRIBUTES.test(attribute)) writer.value(extendPath(path, name), attribute, value);
    },
    close() {
      if (inline > 0) {
        inline--;
        return;
      }
      const { name, path, text } = open.pop() as OpenElement; // every close has its open
      if (text) writer.value(path, name, text.join('').replace(/\s+/g, ' ').trim());
      else writer.separate();
    },
    text(written) {
      const element = open.at(-1);
      if (!element || (!element.text && written.trim() === '')) return;
      element.text ??= [];
      element.text.push(written);
    },
  });
  if (elements === 0) throw corrupt('The file holds no XML element.');
  return { extracted: writer.finish(), warnings: isWhole ? [] : cutOff('elements of it are not closed') };
}
