/** Reads the parts of charts and diagrams, to which the parts with their frames refer. */
import { descendants, readXmlTree, textOf } from '../../../markup/xml-tree.ts';
import { type HtmlRenderer, writeElement } from '../../../rendering/html-renderer.ts';
import type { Archive } from '../../archive.ts';
import { type Relationship, relationshipsOf } from '../relationships.ts';
import { writeChartPart } from './chart.ts';
import { writeDiagram } from './diagram.ts';

export type DrawingWriter = (renderer: HtmlRenderer) => void;

/** What writes a related chart or diagram; undefined for other relationships, and where the part is missing. */
export async function openDrawing(
  archive: Archive,
  { type, target }: Relationship,
): Promise<DrawingWriter | undefined> {
  if (type !== 'chart' && type !== 'chartEx' && type !== 'diagramData') return undefined;
  const part = await archive.read(target);
  if (!part) return undefined;
  if (type === 'diagramData') return (renderer) => writeDiagram(part, renderer);
  const overlaid = await openShapes(archive, target);
  return (renderer) => {
    writeChartPart(part, renderer);
    for (const shapes of overlaid) writeTexts(shapes, renderer);
  };
}

/** The parts with the shapes that lie on a chart. */
async function openShapes(archive: Archive, chart: string): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for (const { type, target } of await relationshipsOf(archive, chart)) {
    const part = type === 'chartUserShapes' ? await archive.read(target) : undefined;
    if (part) parts.push(part);
  }
  return parts;
}

function writeTexts(shapes: Uint8Array, renderer: HtmlRenderer): void {
  for (const paragraph of descendants(readXmlTree(shapes), new Set(['p']))) {
    const text = descendants(paragraph, new Set(['t']))
      .map(textOf)
      .join('');
    if (text.trim() !== '') writeElement(renderer, 'p', text);
  }
}
