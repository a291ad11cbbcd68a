/** Reads OpenDocument texts and presentations (OASIS OpenDocument 1.3, part 3). */
import type { ExtractedFile, FileWarning } from '../../../extracted-file.ts';
import { readXml, type XmlEvents } from '../../../markup/read-xml.ts';
import { readXmlTree, type XmlElement } from '../../../markup/xml-tree.ts';
import type { Unpacking } from '../../../reader-context.ts';
import { type HtmlRenderer, renderHtml } from '../../../rendering/html-renderer.ts';
import { type RepeatedBlocks, repeatedBlocks } from '../../../rendering/repeated-blocks.ts';
import { writeChart } from '../drawings/chart-table.ts';
import { type UnreadParts, unreadParts } from '../unread.ts';
import { withInlineCharts } from './charts/inline-objects.ts';
import { readOdfChart } from './charts/odf-chart.ts';
import { drawingElements } from './drawing-elements.ts';
import { delegating, type ElementReaders, elementEvents, withEquations } from './elements.ts';
import { type EmbeddedObjects, embeddedObjects } from './embedded-objects.ts';
import { type Flow, odfFlow } from './flow.ts';
import { type FormControls, formControls } from './form-controls.ts';
import { masterPageEvents, masterPages } from './master-pages.ts';
import { odfParts } from './odf-parts.ts';
import { repeatedBlock, slideElements } from './presentation-elements.ts';
import { expandRepeated } from './repeated-cells.ts';
import { type OdfStyles, odfStyles } from './styles/odf-styles.ts';
import { tableElements } from './table-elements.ts';
import { type TextContext, textElements } from './text-elements.ts';

type Document = {
  renderer: HtmlRenderer;
  unread: UnreadParts;
  flow: Flow;
  objects: EmbeddedObjects;
  controls: FormControls;
  repeated: RepeatedBlocks;
  isLimitReached: boolean;
};

/**
 * Headers and footers follow the text, each once.
 * @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX
 */
export async function extractOdfDocument(
  bytes: Uint8Array,
  type: 'odt' | 'odp',
  unpacking?: Unpacking,
): Promise<ExtractedFile> {
  const parts = await odfParts(bytes, unpacking);
  const renderer = renderHtml();
  const unread = unreadParts();
  const document: Document = {
    renderer,
    unread,
    flow: odfFlow(renderer),
    objects: embeddedObjects(parts.objects, unread),
    controls: formControls(),
    repeated: repeatedBlocks(),
    isLimitReached: false,
  };
  const common = commonStyles(parts.styles);
  const masters = masterPages(parts.styles);
  const text = { ...contextOf(document, odfStyles(common)), useMasterPage: masters.use };
  const slides = slideElements({ ...document, ...text });
  readXml(parts.content, bodyEvents(document, text, type === 'odp' ? slides.readers : {}));
  readMasterPages(document, { styles: parts.styles, common, used: masters.used() });
  document.repeated.writeTo(renderer);
  return {
    extracted: renderer.finish(),
    warnings: warningsOf(document),
    ...(type === 'odp' && { pageCount: slides.pageCount() }),
  };
}

const contextOf = ({ flow, unread }: Document, styles: OdfStyles): TextContext => ({
  flow,
  unread,
  styles,
  useMasterPage() {},
  isRepeated: false,
  titles: { open: 0 },
});

/** Reads a body, with the automatic styles and the forms that precede it. `more`: readers that replace others. */
function bodyEvents(document: Document, context: TextContext, more: ElementReaders): Required<XmlEvents> {
  const { flow, objects, controls, unread } = document;
  const readObject = (name: string): void =>
    objects.read(name, (content) => {
      if (isChart(content) && writeChartObject(flow, readXmlTree(content))) return;
      readXml(content, bodyEvents(document, contextOf(document, odfStyles()), {}));
    });
  const readers = {
    ...textElements(context),
    ...tableElements(context),
    ...drawingElements({ flow, controls, readObject, leaveOutObject: (name) => unread.object('', name) }),
    ...more,
  };
  const body = expandRepeated(withEquations(elementEvents(readers, flow.write), flow.writeEquation), () => {
    document.isLimitReached = true;
  });
  const delegated = delegating(body, {
    'font-face-decls': context.styles.take,
    styles() {},
    'automatic-styles': context.styles.take,
    'master-styles'() {},
    forms: controls.take,
  });
  return withInlineCharts(delegated, (object) => writeChartObject(flow, object));
}

const isChart = (content: Uint8Array): boolean =>
  Buffer.from(content.buffer, content.byteOffset, content.length).includes('office:chart');

/** Returns false where the object is no chart whose series name their cells. */
function writeChartObject(flow: Flow, object: XmlElement): boolean {
  const chart = readOdfChart(object);
  if (chart) flow.writeBlock((target) => writeChart(target, chart));
  return chart !== undefined;
}

/** The styles that all parts share. */
function commonStyles(part: Uint8Array): OdfStyles {
  const styles = odfStyles();
  const nothing = { open() {}, close() {}, text() {} };
  readXml(part, delegating(nothing, { styles: styles.take, 'automatic-styles'() {} }));
  return styles;
}

function readMasterPages(
  document: Document,
  { styles, common, used }: { styles: Uint8Array; common: OdfStyles; used: ReadonlySet<string> },
): void {
  const context = { ...contextOf(document, odfStyles(common)), isRepeated: true };
  const pages = masterPageEvents(bodyEvents(document, context, {}), {
    used,
    beginBlock: () => repeatedBlock(document.flow, document.repeated),
  });
  readXml(
    styles,
    delegating(pages, { 'font-face-decls': context.styles.take, 'automatic-styles': context.styles.take }),
  );
}

function warningsOf({ unread, isLimitReached }: Document): FileWarning[] {
  const message = 'Cells that a table repeats very often were read once only.';
  return [...unread.warnings(), ...(isLimitReached ? [{ code: 'LIMIT_REACHED', message } as const] : [])];
}
