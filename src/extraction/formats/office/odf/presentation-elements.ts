/** Slides, and what stands on many of them (OpenDocument 1.3 part 3, clauses 10.2 and 10.7). */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import type { HtmlRenderer } from '../../../rendering/html-renderer.ts';
import type { RepeatedBlocks } from '../../../rendering/repeated-blocks.ts';
import type { ElementReaders, Opened } from './elements.ts';
import type { Flow } from './flow.ts';
import type { OdfStyles } from './styles/odf-styles.ts';
import type { TextContext } from './text-elements.ts';

/** Numbers and dates of slides, headers of printed notes, and the picture of the slide in its notes. */
const NOT_READ = new Set(['page-number', 'date-time', 'header', 'page', 'handout']);

export type SlideContext = TextContext & { repeated: RepeatedBlocks; renderer: HtmlRenderer };

export function slideElements(context: SlideContext): { readers: ElementReaders; pageCount(): number } {
  const { flow, styles, repeated, renderer, useMasterPage, titles } = context;
  let pages = 0;
  const footers = new Map<string, string>();
  const openFrame = (attributes: Attributes): Opened => {
    const role = attribute(attributes, 'class') ?? '';
    if (NOT_READ.has(role) || attribute(attributes, 'placeholder') === 'true') return 'skip';
    if (role === 'footer') return repeatedBlock(flow, repeated);
    const isTitle = role === 'title';
    if (isTitle) titles.open++;
    flow.openFrame();
    return () => {
      flow.closeFrame();
      if (isTitle) titles.open--;
    };
  };
  const readers: ElementReaders = {
    page(attributes) {
      pages++;
      renderer.beginPage(pages);
      useMasterPage(attribute(attributes, 'master-page-name') ?? '');
      const footer = footers.get(attribute(attributes, 'use-footer-name') ?? '');
      if (footer !== undefined && showsFooter(styles, attributes)) addFooter(repeated, footer);
      return undefined;
    },
    frame: openFrame,
    'footer-decl': (attributes) =>
      flow.capture((footer) => footers.set(attribute(attributes, 'name') ?? '', footer)),
    'header-decl': () => 'skip',
    'date-time-decl': () => 'skip',
  };
  return { readers, pageCount: () => pages };
}

const showsFooter = (styles: OdfStyles, page: Attributes): boolean =>
  styles.property('drawing-page', attribute(page, 'style-name') ?? '', 'showsFooter') ?? true;

function addFooter(repeated: RepeatedBlocks, footer: string): void {
  const { events, end } = repeated.begin();
  events.open('p');
  events.text(footer);
  events.close('p');
  end();
}

/** Reads an element as one block of those that are repeated. */
export function repeatedBlock(flow: Flow, repeated: RepeatedBlocks): () => void {
  const { events, end } = repeated.begin();
  const restore = flow.divert(events);
  return () => {
    restore();
    end();
  };
}
