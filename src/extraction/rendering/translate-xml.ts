/** Renders the elements of an XML format as the HTML elements that they resemble. */
import type { Attributes } from '../markup/markup-tokens.ts';
import { readXml } from '../markup/read-xml.ts';
import type { HtmlRenderer } from './html-renderer.ts';

/**
 * The translation of an element: an HTML element with these attributes; `skip` drops it with its content;
 * undefined drops the element and keeps its content.
 */
export type Translation = { element: string; attributes?: Attributes } | 'skip' | undefined;

export type Translator = {
  open(name: string, attributes: Attributes): Translation;
  /** Called for elements that were not skipped, before their HTML element is closed. */
  close?(name: string): void;
  /** Returns the text to write. Default: unchanged. */
  text?(text: string): string;
};

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
      if (translation) renderer.open(translation.element, translation.attributes);
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
