/** Reads presentations (Office Open XML, ECMA-376 part 1, clauses 19 and 21): each slide is a page. */

import type { ExtractedFile } from '../../extracted-file.ts';
import { corrupt } from '../../extraction-error.ts';
import { attribute, readXml } from '../../markup/read-xml.ts';
import { DATA_TABLE, type HtmlRenderer, renderHtml } from '../../rendering/html-renderer.ts';
import { type Translation, type Translator, translateXml } from '../../rendering/translate-xml.ts';
import { type Archive, openArchive } from '../archive.ts';
import { mainPart, relationshipId, relationshipsOf } from './relationships.ts';

/** Other parts of a slide, in reading order. */
const SLIDE_PARTS = ['chart', 'diagramData', 'notesSlide', 'comments'];

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractPptx(bytes: Uint8Array): Promise<ExtractedFile> {
  const archive = await openArchive(bytes);
  const slides = await slidesOf(archive);
  const renderer = renderHtml({ keepBoilerplate: true });
  for (const [i, slide] of slides.entries()) {
    renderer.beginPage(i + 1);
    await renderSlide(archive, slide, renderer);
  }
  return { extracted: renderer.finish(), warnings: [], pageCount: slides.length };
}

/** The slides' parts in the order of the show. */
async function slidesOf(archive: Archive): Promise<string[]> {
  const main = await mainPart(archive, 'ppt/presentation.xml');
  const presentation = await archive.read(main);
  if (presentation === undefined) throw corrupt('The presentation has no main part.');
  const targets = new Map((await relationshipsOf(archive, main)).map(({ id, target }) => [id, target]));
  const slides: string[] = [];
  readXml(presentation, {
    open(name, attributes) {
      const target = name === 'sldId' ? targets.get(relationshipId(attributes)) : undefined;
      if (target !== undefined) slides.push(target);
    },
  });
  return slides;
}

async function renderSlide(archive: Archive, slide: string, renderer: HtmlRenderer): Promise<void> {
  const part = await archive.read(slide);
  if (part) translateXml(part, renderer, slideTranslator(renderer));
  const relationships = await relationshipsOf(archive, slide);
  for (const wanted of SLIDE_PARTS) {
    for (const { target } of relationships.filter(({ type }) => type === wanted)) {
      const further = await archive.read(target);
      if (!further) continue;
      const translator = wanted === 'chart' ? chartTranslator() : slideTranslator(renderer);
      translateXml(further, renderer, translator);
    }
  }
}

/** Older duplicates of newer markup, properties, and numbers that stand on every slide. */
const SKIPPED = new Set([
  'Fallback',
  'rPr',
  'pPr',
  'endParaRPr',
  'tblGrid',
  'extLst',
  'spPr',
  'style',
  'timing',
]);
/** Boilerplate: placeholders of the design, the same on every slide. */
const BOILERPLATE_PLACEHOLDERS = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);

function slideTranslator(renderer: HtmlRenderer): Translator {
  let placeholder = '';
  let inText = 0;
  let hasHeaderRow = false;
  let rows = 0;
  const paragraph = (): Translation => ({ element: /^(?:title|ctrTitle)$/.test(placeholder) ? 'h1' : 'p' });
  return {
    open(name, attributes) {
      if (SKIPPED.has(name)) return 'skip';
      if (name === 'sp' || name === 'graphicFrame') placeholder = '';
      if (name === 'ph') placeholder = attribute(attributes, 'type') ?? 'body';
      if (name === 'txBody' && BOILERPLATE_PLACEHOLDERS.has(placeholder)) return 'skip';
      if (name === 'tblPr') hasHeaderRow = /^(?:1|true)$/.test(attribute(attributes, 'firstRow') ?? '');
      if (name === 't' || name === 'text') inText++;
      if (name === 'p' || name === 'cm') return paragraph();
      if (name === 'br') renderer.open('br');
      if (name === 'tbl') {
        placeholder = '';
        rows = 0;
        hasHeaderRow = false;
        return { element: 'table', attributes: DATA_TABLE };
      }
      if (name === 'tr') rows++;
      if (name === 'tr') return { element: 'tr' };
      if (name === 'tc') return { element: hasHeaderRow && rows === 1 ? 'th' : 'td' };
      return undefined;
    },
    close(name) {
      if (name === 't' || name === 'text') inText--;
    },
    text: (text) => (inText > 0 ? text : ''),
  };
}

/** A chart's titles (`t`) and the names of its series and categories (`strCache`). Its numbers mean little alone. */
function chartTranslator(): Translator {
  let inText = 0;
  let names = 0;
  return {
    open(name) {
      if (name === 'strCache') names++;
      if (name === 't' || (name === 'v' && names > 0)) inText++;
      if (name === 'p' || name === 'strCache') return { element: 'p' };
      return name === 'pt' ? { element: 'li' } : undefined;
    },
    close(name) {
      if (name === 't' || (name === 'v' && names > 0)) inText--;
      if (name === 'strCache') names--;
    },
    text: (text) => (inText > 0 ? text : ''),
  };
}
