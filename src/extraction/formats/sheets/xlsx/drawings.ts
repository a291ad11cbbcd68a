/** Reads the text of what lies on a sheet: text boxes, titles of charts, diagrams and labels of controls. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute, readXml } from '../../../markup/read-xml.ts';
import type { Archive } from '../../archive.ts';
import { relationshipsOf } from '../../office/relationships.ts';

/** Older duplicates of newer markup, and points of diagrams that repeat the texts of others for the layout. */
const isSkipped = (name: string, attributes: Attributes): boolean =>
  name === 'Fallback' || (name === 'pt' && attribute(attributes, 'type') === 'pres');

/**
 * The paragraphs of a drawing and of the parts that belong to it. The values of charts stand in cells, so of a chart
 * only its titles and the names of its series that stand in no cell are read.
 */
export async function readDrawing(archive: Archive, drawing: string): Promise<string[]> {
  const part = await archive.read(drawing);
  if (part === undefined) return [];
  const texts = readParagraphs(part, new Set(['t']));
  for (const { type, target } of await relationshipsOf(archive, drawing)) {
    if (!PARTS.has(type)) continue;
    const further = await archive.read(target);
    if (further === undefined) continue;
    texts.push(...(type === 'diagramData' ? readParagraphs(further, new Set(['t'])) : readTitles(further)));
    for (const shapes of await relationshipsOf(archive, target)) {
      const overlaid = shapes.type === 'chartUserShapes' ? await archive.read(shapes.target) : undefined;
      if (overlaid) texts.push(...readParagraphs(overlaid, new Set(['t'])));
    }
  }
  return texts;
}

const PARTS = new Set(['chart', 'chartEx', 'diagramData']);

/** A chart's titles: rich text, or the cached text of a cell. Names of its series that stand in no cell follow. */
function readTitles(chart: Uint8Array): string[] {
  return [...readParagraphs(chart, new Set(['t', 'v']), 'title'), ...writtenNames(chart)];
}

/** The names of series that are written into the chart: `<c:tx><c:v>Noise</c:v></c:tx>`. */
function writtenNames(chart: Uint8Array): string[] {
  const names: string[] = [];
  const open: string[] = [];
  readXml(chart, {
    open: (name) => void open.push(name),
    close: () => void open.pop(),
    text(written) {
      if (open.at(-1) === 'v' && open.at(-2) === 'tx' && written.trim() !== '') names.push(written.trim());
    },
  });
  return names;
}

/** The labels of controls in the markup of Excel 2007. Comments (`Note`) stand in a part of their own. */
export function readLabels(vml: Uint8Array): string[] {
  const labels: string[] = [];
  let label = '';
  let inBox = false;
  let isNote = false;
  readXml(vml, {
    open(name, attributes) {
      if (name === 'shape') isNote = false;
      if (name === 'textbox') inBox = true;
      if (name === 'ClientData') isNote = attribute(attributes, 'ObjectType') === 'Note';
    },
    close(name) {
      if (name === 'textbox') inBox = false;
      if (name !== 'shape') return;
      if (!isNote && label.trim() !== '') labels.push(label.trim());
      label = '';
    },
    text(written) {
      if (inBox) label += written;
    },
  });
  return labels;
}

/** The paragraphs of a part, in elements of this name if one is given. `holders`: elements whose text counts. */
function readParagraphs(part: Uint8Array, holders: ReadonlySet<string>, within?: string): string[] {
  const paragraphs: string[] = [];
  let text = '';
  let depth = 0;
  let inside = within === undefined ? 1 : 0;
  let holding = 0;
  let skipped: number | undefined;
  const end = () => {
    if (text.trim() !== '') paragraphs.push(text);
    text = '';
  };
  readXml(part, {
    open(name, attributes) {
      depth++;
      if (skipped === undefined && isSkipped(name, attributes)) skipped = depth;
      if (name === within) inside++;
      if (holders.has(name)) holding++;
      if (name === 'br') text += ' ';
    },
    close(name) {
      depth--;
      if (skipped !== undefined && depth < skipped) skipped = undefined;
      if (name === within) inside--;
      if (holders.has(name)) holding--;
      if (name === 'p' || name === within || name === 'pt') end();
    },
    text(written) {
      if (skipped === undefined && inside > 0 && holding > 0) text += written;
    },
  });
  end();
  return paragraphs;
}
