/** XML as a tree: for parts that are read in another order than they are written in. */
import type { Attributes } from './markup-tokens.ts';
import { attribute, readXml, type XmlEvents } from './read-xml.ts';

/** Names come without prefixes. Attributes are read by `attributeOf`. */
export type XmlElement = { name: string; attributes: Attributes; children: XmlNode[] };
export type XmlNode = XmlElement | string;

export type TreeBuilder = Required<XmlEvents> & {
  /** The root, which has no name and no attributes; all that was read is inside it. */
  root: XmlElement;
  /** The number of elements that are open below the root. */
  depth(): number;
};

/** Collects the events of `readXml` in a tree. */
export function treeBuilder(): TreeBuilder {
  const root: XmlElement = { name: '', attributes: new Map(), children: [] };
  const open = [root];
  const add = (node: XmlNode) => open.at(-1)?.children.push(node);
  return {
    root,
    depth: () => open.length - 1,
    open(name, attributes) {
      const element = { name, attributes, children: [] };
      add(element);
      open.push(element);
    },
    close() {
      if (open.length > 1) open.pop();
    },
    text: add,
  };
}

/** @throws FILE_TOO_COMPLEX, which bounds the depth of every tree */
export function readXmlTree(part: Uint8Array): XmlElement {
  const builder = treeBuilder();
  readXml(part, builder);
  return builder.root;
}

/** Gives an element to a reader again, with all that it contains. */
export function replay(node: XmlNode, events: Required<XmlEvents>): void {
  if (typeof node === 'string') {
    events.text(node);
    return;
  }
  events.open(node.name, node.attributes);
  for (const child of node.children) replay(child, events);
  events.close(node.name);
}

export const isElement = (node: XmlNode): node is XmlElement => typeof node !== 'string';

export const childrenOf = (element: XmlElement | undefined, name: string): XmlElement[] =>
  (element?.children ?? []).filter((child) => isElement(child)).filter((child) => child.name === name);

/** The first element along a path of names; undefined where one is missing. */
export function childOf(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let found = element;
  for (const name of path) found = found?.children.filter(isElement).find((child) => child.name === name);
  return found;
}

export const attributeOf = (element: XmlElement | undefined, name: string): string | undefined =>
  element && attribute(element.attributes, name);

/** All elements of these names, in the file's order, also those inside each other. */
export function descendants(element: XmlElement, names: ReadonlySet<string>): XmlElement[] {
  const found: XmlElement[] = [];
  const search = ({ children }: XmlElement): void => {
    for (const child of children) {
      if (typeof child === 'string') continue;
      if (names.has(child.name)) found.push(child);
      search(child);
    }
  };
  search(element);
  return found;
}

/** The text of an element, with all elements inside it. */
export function textOf(node: XmlNode | undefined): string {
  if (node === undefined) return '';
  return typeof node === 'string' ? node : node.children.map(textOf).join('');
}
