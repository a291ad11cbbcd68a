/** Renders the elements of an XML format as the HTML elements that they resemble. */
import type { Attributes } from '../markup/markup-tokens.ts';
import type { XmlEvents } from '../markup/read-xml.ts';
import { isElement, type TreeBuilder, treeBuilder, type XmlElement } from '../markup/xml-tree.ts';
import type { HtmlRenderer } from './html-renderer.ts';

/**
 * The translation of an element: an HTML element with these attributes; `skip` drops it with its content;
 * `collect` takes it as a tree when it ends; undefined drops the element and keeps its content.
 */
export type Translation =
  | { element: string; attributes?: Attributes }
  | { collect: (element: XmlElement) => void }
  | 'skip'
  | undefined;

export type Translator = {
  open(name: string, attributes: Attributes): Translation;
  /** Called for elements that were not skipped or collected, before their HTML element is closed. */
  close?(name: string): void;
  /** Returns the text to write. Default: unchanged. */
  text?(text: string): string;
};

/** The element that is being taken as a tree, if there is one. */
function createCollecting() {
  let collected: { tree: TreeBuilder; take: (element: XmlElement) => void } | undefined;
  return {
    tree: () => collected?.tree,
    begin(take: (element: XmlElement) => void, name: string, attributes: Attributes): void {
      collected = { tree: treeBuilder(), take };
      collected.tree.open(name, attributes);
    },
    close(name: string): void {
      if (!collected) return;
      const { tree, take } = collected;
      tree.close(name);
      if (tree.depth() > 0) return;
      const [element] = tree.root.children;
      collected = undefined;
      if (element && isElement(element)) take(element);
    },
  };
}

/** Renders the elements of a part or tree as they are read. */
export function translating(
  renderer: HtmlRenderer,
  { open, close = () => {}, text = (written) => written }: Translator,
): Required<XmlEvents> {
  const opened: (string | undefined)[] = [];
  let skipped = 0;
  const collecting = createCollecting();
  return {
    open(name, attributes) {
      const tree = collecting.tree();
      if (tree) return tree.open(name, attributes);
      if (skipped > 0) return void skipped++;
      const translation = open(name, attributes);
      if (translation === 'skip') skipped = 1;
      else if (translation && 'collect' in translation)
        collecting.begin(translation.collect, name, attributes);
      else {
        opened.push(translation?.element);
        if (translation) renderer.open(translation.element, translation.attributes);
      }
    },
    close(name) {
      if (collecting.tree()) return collecting.close(name);
      if (skipped > 0) {
        skipped--;
        return;
      }
      close(name);
      const element = opened.pop();
      if (element !== undefined) renderer.close(element);
    },
    text(written) {
      const tree = collecting.tree();
      if (tree) tree.text(written);
      else if (skipped === 0) renderer.text(text(written));
    },
  };
}
