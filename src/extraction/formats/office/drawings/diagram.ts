/** Writes the text of diagrams (SmartArt, ECMA-376 part 1, 21.4) as a list in the order of the diagram. */
import {
  attributeOf,
  childOf,
  childrenOf,
  descendants,
  readXmlTree,
  textOf,
  type XmlElement,
} from '../../../markup/xml-tree.ts';
import type { HtmlRenderer } from '../../../rendering/html-renderer.ts';
import { linearEquation } from '../equations/equation.ts';

/** Deeper entries stand on this level. */
const DEPTH_MAX = 6;

type Point = { id: string; type: string; text: string };
type Entry = { point: Point; depth: number };

export function writeDiagram(part: Uint8Array, renderer: HtmlRenderer): void {
  const [model] = descendants(readXmlTree(part), new Set(['dataModel']));
  if (!model) return;
  let depth = 0;
  const nest = (wanted: number): void => {
    for (; depth < wanted; depth++) renderer.open('ul');
    for (; depth > wanted; depth--) renderer.close('ul');
  };
  for (const { point, depth: level } of entriesOf(model)) {
    if (point.text.trim() === '') continue;
    nest(Math.min(level, DEPTH_MAX));
    renderer.open('li');
    renderer.text(point.text);
    renderer.close('li');
  }
  nest(0);
}

/** The points of a diagram from its root, each before those below it; then points that nothing leads to. */
function entriesOf(model: XmlElement): Entry[] {
  const points = new Map(childrenOf(childOf(model, 'ptLst'), 'pt').map((pt) => [idOf(pt), pointOf(pt)]));
  const below = childIds(model);
  const entries: Entry[] = [];
  const seen = new Set<string>();
  const visit = (from: Entry): void => {
    const open = [from];
    for (let entry = open.pop(); entry; entry = open.pop()) {
      const { point, depth } = entry;
      if (seen.has(point.id)) continue;
      seen.add(point.id);
      entries.push(entry);
      for (const id of (below.get(point.id) ?? []).reverse()) {
        const child = points.get(id);
        if (child) open.push({ point: child, depth: depth + 1 });
      }
    }
  };
  const [roots, others] = partition([...points.values()], ({ type }) => type === 'doc');
  for (const point of roots) visit({ point, depth: 0 });
  for (const point of others) visit({ point, depth: 1 });
  return entries;
}

function partition<T>(all: T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

const idOf = (point: XmlElement): string => attributeOf(point, 'modelId') ?? '';

/** Points that only carry the layout (`pres`) repeat the text of others. */
function pointOf(element: XmlElement): Point {
  const type = attributeOf(element, 'type') ?? 'node';
  const paragraphs = type === 'pres' ? [] : childrenOf(childOf(element, 't'), 'p');
  return { id: idOf(element), type, text: paragraphs.map(paragraphText).join(' ') };
}

/** A paragraph of DrawingML: its runs, line breaks and equations. */
function paragraphText(paragraph: XmlElement): string {
  return paragraph.children
    .map((child) => {
      if (typeof child === 'string') return '';
      if (child.name === 'br') return ' ';
      if (child.name === 'm') return linearEquation(child);
      return textOf(childOf(child, 't'));
    })
    .join('');
}

/** The ids of the points below each point, in their order. */
function childIds(model: XmlElement): Map<string, string[]> {
  const connections = childrenOf(childOf(model, 'cxnLst'), 'cxn')
    .filter((connection) => (attributeOf(connection, 'type') ?? 'parOf') === 'parOf')
    .map((connection) => ({
      from: attributeOf(connection, 'srcId') ?? '',
      to: attributeOf(connection, 'destId') ?? '',
      order: Number(attributeOf(connection, 'srcOrd') ?? 0),
    }))
    .sort((a, b) => a.order - b.order);
  const ids = new Map<string, string[]>();
  for (const { from, to } of connections) {
    const list = ids.get(from) ?? [];
    list.push(to);
    ids.set(from, list);
  }
  return ids;
}
