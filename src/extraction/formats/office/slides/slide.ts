/** Writes the shapes of a slide: texts, tables, charts, diagrams and the descriptions of pictures. */

import { altText } from '../../../markup/alt-text.ts';
import {
  attributeOf,
  childOf,
  childrenOf,
  descendants,
  isElement,
  type XmlElement,
} from '../../../markup/xml-tree.ts';
import { DATA_TABLE, type HtmlRenderer, writeElement } from '../../../rendering/html-renderer.ts';
import type { DrawingWriter } from '../drawings/related-drawing.ts';
import { isOn } from '../on-off.ts';
import { relationshipId } from '../relationships.ts';
import { contentOf } from './alternatives.ts';
import { inReadingOrder, type PlaceholderPlaces, placeholderOf, placeOf } from './placeholders.ts';
import { writeTextBody } from './text-body.ts';

export type SlideContext = {
  renderer: HtmlRenderer;
  /** The places of the placeholders of the slide's layout, then of its master. */
  above: readonly PlaceholderPlaces[];
  /** Opens the chart or diagram of a relationship, only once. */
  openRelated(id: string): Promise<DrawingWriter | undefined>;
  onObject(program: string): void;
  /** Takes text that stands on many slides. */
  onFooter(text: XmlElement): void;
};

/** Numbers and dates that differ on each slide, and the picture of the slide in its notes. */
const DROPPED_PLACEHOLDERS = new Set(['sldNum', 'dt', 'sldImg']);
const FOOTERS = new Set(['ftr', 'hdr']);
const TITLES = new Set(['title', 'ctrTitle']);

/** The tree of shapes of a slide, layout, master or page of notes; in a damaged one they may stand in its root. */
export const shapesOf = (root: XmlElement): XmlElement | undefined =>
  descendants(root, new Set(['spTree']))[0] ?? root.children.find(isElement);

/** The title comes first, wherever it stands, since it names the slide. */
export async function writeShapes(context: SlideContext, tree: XmlElement | undefined): Promise<void> {
  const shapes = contentOf(tree);
  const isTitle = (shape: XmlElement) => TITLES.has(placeholderOf(shape)?.type ?? '');
  const others = shapes
    .filter((shape) => !isTitle(shape))
    .map((shape) => ({ shape, place: placeOf(shape, context.above) }));
  for (const shape of [...shapes.filter(isTitle), ...inReadingOrder(others)])
    await writeShape(context, shape);
}

async function writeShape(context: SlideContext, shape: XmlElement): Promise<void> {
  const { renderer } = context;
  if (shape.name === 'grpSp') await writeShapes(context, shape);
  else if (shape.name === 'sp' || shape.name === 'cxnSp') writeText(context, shape);
  else if (shape.name === 'graphicFrame') await writeFrame(context, shape);
  if (shape.name === 'sp') return;
  const description = altText(descriptionOf(shape));
  if (description !== '') writeElement(renderer, 'p', description);
}

function descriptionOf(shape: XmlElement): string | undefined {
  const properties = contentOf(shape).flatMap((child) => childrenOf(child, 'cNvPr'))[0];
  return attributeOf(properties, 'descr') ?? attributeOf(properties, 'title');
}

function writeText({ renderer, onFooter }: SlideContext, shape: XmlElement): void {
  const type = placeholderOf(shape)?.type ?? '';
  const body = childOf(shape, 'txBody');
  if (!body || DROPPED_PLACEHOLDERS.has(type)) return;
  if (FOOTERS.has(type)) onFooter(body);
  else writeTextBody(renderer, body, { element: TITLES.has(type) ? 'h1' : 'p' });
}

/** A frame around a table, chart, diagram or embedded object. */
async function writeFrame(context: SlideContext, frame: XmlElement): Promise<void> {
  const { renderer, openRelated, onObject } = context;
  for (const content of contentOf(childOf(frame, 'graphic', 'graphicData'))) {
    if (content.name === 'tbl') writeTable(renderer, content);
    if (content.name === 'oleObj') onObject(attributeOf(content, 'progId') ?? '');
    if (content.name === 'chart') (await openRelated(relationshipId(content.attributes)))?.(renderer);
    if (content.name === 'relIds') (await openRelated(attributeOf(content, 'dm') ?? ''))?.(renderer);
  }
}

/** Cells that others cover are marked (21.1.3.18), and left out. */
function writeTable(renderer: HtmlRenderer, table: XmlElement): void {
  const hasHeader = isOn(attributeOf(childOf(table, 'tblPr'), 'firstRow') ?? '0');
  renderer.open('table', DATA_TABLE);
  for (const [i, row] of childrenOf(table, 'tr').entries()) {
    renderer.open('tr');
    for (const cell of childrenOf(row, 'tc')) {
      const isCovered = ['hMerge', 'vMerge'].some((name) => isOn(attributeOf(cell, name) ?? '0'));
      if (!isCovered) writeCell(renderer, cell, hasHeader && i === 0 ? 'th' : 'td');
    }
    renderer.close('tr');
  }
  renderer.close('table');
}

function writeCell(renderer: HtmlRenderer, cell: XmlElement, element: 'td' | 'th'): void {
  const extent = new Map([
    ['colspan', attributeOf(cell, 'gridSpan') ?? '1'],
    ['rowspan', attributeOf(cell, 'rowSpan') ?? '1'],
  ]);
  renderer.open(element, extent);
  writeTextBody(renderer, childOf(cell, 'txBody'), { element: 'p' });
  renderer.close(element);
}
