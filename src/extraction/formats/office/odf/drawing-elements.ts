/** Frames, pictures, charts and other objects (OpenDocument 1.3 part 3, clauses 10 and 11). */

import { altText } from '../../../markup/alt-text.ts';
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import { type ElementReaders, type Opened, whole } from './elements.ts';
import type { Flow } from './flow.ts';
import type { FormControls } from './form-controls.ts';

/** Elements that show something beside the text, and may hold text. */
const SHAPES = (
  'frame custom-shape rect line polyline polygon regular-polygon path circle ellipse ' +
  'connector caption measure g scene'
).split(' ');

export type DrawingContext = {
  flow: Flow;
  controls: FormControls;
  readObject(name: string): void;
  /** Notes an object of another program by its name. */
  leaveOutObject(name: string): void;
};

export function drawingElements({
  flow,
  controls,
  readObject,
  leaveOutObject,
}: DrawingContext): ElementReaders {
  const charts = { depth: 0 };
  const openShape = (): Opened => {
    if (flow.isHidden()) return 'skip';
    flow.openFrame();
    return flow.closeFrame;
  };
  return {
    ...Object.fromEntries(SHAPES.map((name) => [name, openShape])),
    ...alternativeText(flow, charts),
    ...chartElements(flow, charts),
    // Areas of a picture that lead elsewhere.
    'image-map': () => 'skip',
    object: whole((attributes) => {
      const name = objectName(attributes);
      if (name !== undefined) readObject(name);
    }),
    'object-ole'(attributes) {
      leaveOutObject(objectName(attributes) ?? '');
      return 'skip';
    },
    control: whole((attributes) => {
      const shown = controls.textOf(attribute(attributes, 'control') ?? '');
      if (flow.isInParagraph()) flow.write(` ${shown} `);
      else if (shown !== '') writeParagraph(flow, shown);
    }),
  };
}

/** The object's folder in the archive; undefined for an object that stands in the element itself. */
function objectName(attributes: Attributes): string | undefined {
  const href = attribute(attributes, 'href');
  return href?.replace(/^\.\//, '').replace(/\/$/, '') || undefined;
}

function writeParagraph(flow: Flow, text: string): void {
  flow.openParagraph('p', {});
  flow.write(text);
  flow.closeParagraph('p');
}

/** `svg:title` and `svg:desc` describe a picture for those who do not see it. A chart has a title element too. */
function alternativeText(flow: Flow, charts: { depth: number }): ElementReaders {
  let last = '';
  const takeText = (): Opened => {
    if (charts.depth > 0) return undefined;
    if (flow.isEquationFrame()) return 'skip';
    return flow.capture((written) => {
      const text = altText(written);
      if (text !== '' && text !== last) writeParagraph(flow, text);
      last = text;
    });
  };
  return { title: takeText, desc: takeText };
}

/** A chart's values stand in a table of its own, which programs keep for charts without a source. */
function chartElements(flow: Flow, charts: { depth: number }): ElementReaders {
  return {
    chart() {
      charts.depth++;
      return () => {
        charts.depth--;
      };
    },
    // The cell range that a value comes from.
    g() {
      if (charts.depth > 0) return 'skip';
      flow.openFrame();
      return flow.closeFrame;
    },
  };
}
