/** Renders the elements of an XML format as the HTML elements that they resemble. */
import type { Attributes } from '../markup/read-html.ts';
import { readXml, type XmlAttributes } from '../markup/read-xml.ts';
import type { HtmlRenderer } from './html-renderer.ts';

/**
 * The translation of an element: an HTML element with these attributes; `skip` drops it with its content;
 * undefined drops the element and keeps its content.
 */
export type Translation = { element: string; attributes?: Attributes } | 'skip' | undefined;

export type Translator = {
  open(name: string, attributes: XmlAttributes): Translation;
  /** Called for elements that were not skipped, before their HTML element is closed. */
  close?(name: string): void;
  /** Returns the text to write. Default: unchanged. */
  text?(text: string): string;
};

const NO_ATTRIBUTES: Attributes = new Map();

/** The table holds data and is not page layout: one row is one line. */
export const DATA_TABLE = { element: 'table', attributes: new Map([['role', 'table']]) };

/**
 * Renders a part.
 * @throws what `readXml` and the renderer throw
 */
export function translateXml(
  part: Uint8Array,
  renderer: HtmlRenderer,
  { open, close = () => {}, text = (written) => written }: Translator,
): void {
  const opened: (string | undefined)[] = [];
  let skipped = 0;
  readXml(part, {
    open(name, attributes) {
      if (skipped > 0) {
        skipped++;
        return;
      }
      const translation = open(name, attributes);
      if (translation === 'skip') {
        skipped = 1;
        return;
      }
      opened.push(translation?.element);
      if (translation) renderer.open(translation.element, translation.attributes ?? NO_ATTRIBUTES);
    },
    close(name) {
      if (skipped > 0) {
        skipped--;
        return;
      }
      close(name);
      const element = opened.pop();
      if (element !== undefined) renderer.close(element);
    },
    text(written) {
      if (skipped === 0) renderer.text(text(written));
    },
  });
}

/** Writes an element that contains only text. */
export function writeElement(renderer: HtmlRenderer, element: string, text: string): void {
  renderer.open(element, NO_ATTRIBUTES);
  renderer.text(text);
  renderer.close(element);
}

/** Writes an element without content. */
export function writeVoid(renderer: HtmlRenderer, element: 'br'): void {
  renderer.open(element, NO_ATTRIBUTES);
}
