/** Reads presentations (Office Open XML, ECMA-376 part 1, clauses 19 and 21): each slide is a page. */
import type { ExtractedFile } from '../../extracted-file.ts';
import { readXmlTree, textOf, type XmlElement } from '../../markup/xml-tree.ts';
import type { Unpacking } from '../../reader-context.ts';
import { type HtmlRenderer, renderHtml } from '../../rendering/html-renderer.ts';
import type { Archive } from '../archive.ts';
import { openDrawing } from './drawings/related-drawing.ts';
import { openOfficeFile } from './flat-package.ts';
import { type Relationship, relationshipsOf } from './relationships.ts';
import { contentOf } from './slides/alternatives.ts';
import { writeComments } from './slides/comments.ts';
import { placeholderOf } from './slides/placeholders.ts';
import { openPresentation, type Presentation } from './slides/presentation.ts';
import { type SlideContext, shapesOf, writeShapes } from './slides/slide.ts';
import { writeTextBody } from './slides/text-body.ts';
import { type UnreadParts, unreadParts } from './unread.ts';

type Reader = {
  archive: Archive;
  presentation: Presentation;
  renderer: HtmlRenderer;
  unread: UnreadParts;
  /** Texts that stand on many slides, by their characters. */
  footers: Map<string, XmlElement>;
};

/**
 * What stands on many slides (footers, texts of layouts and masters) follows the last slide, once.
 * @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX
 */
export async function extractPptx(bytes: Uint8Array, context?: Unpacking): Promise<ExtractedFile> {
  const archive = await openOfficeFile(bytes, context?.countUnpacked);
  const presentation = await openPresentation(archive);
  const renderer = renderHtml();
  const reader: Reader = { archive, presentation, renderer, unread: unreadParts(), footers: new Map() };
  for (const [i, slide] of presentation.slides.entries()) {
    renderer.beginPage(i + 1);
    await renderSlide(reader, slide, `slide ${i + 1}`);
  }
  for (const { shapes } of presentation.designs()) addFixedTexts(reader.footers, shapes);
  for (const body of reader.footers.values()) writeTextBody(renderer, body, { element: 'p' });
  return {
    extracted: renderer.finish(),
    warnings: reader.unread.warnings(),
    pageCount: presentation.slides.length,
  };
}

async function renderSlide(reader: Reader, slide: string, place: string): Promise<void> {
  const { archive, presentation, renderer } = reader;
  const relationships = await relationshipsOf(archive, slide);
  const designs = await presentation.designsOf(relationships);
  const context = contextOf(reader, relationships, place);
  await renderShapes(archive, slide, { ...context, above: designs.map(({ places }) => places) });
  for (const { type, target } of relationships) {
    if (type === 'notesSlide') await renderNotes(reader, target, place);
  }
  for (const { target } of relationships.filter(({ type }) => type === 'comments')) {
    const part = await archive.read(target);
    if (part) writeComments(renderer, part, presentation.authors);
  }
}

/** The speaker's notes of a slide. */
async function renderNotes(reader: Reader, name: string, place: string): Promise<void> {
  const relationships = await relationshipsOf(reader.archive, name);
  // Headers and footers of printed notes belong to no slide.
  await renderShapes(reader.archive, name, { ...contextOf(reader, relationships, place), onFooter() {} });
}

async function renderShapes(archive: Archive, name: string, context: SlideContext): Promise<void> {
  const part = await archive.read(name);
  if (part) await writeShapes(context, shapesOf(readXmlTree(part)));
}

function contextOf(
  { archive, renderer, unread, footers }: Reader,
  relationships: readonly Relationship[],
  place: string,
): SlideContext {
  const related = new Map(relationships.map((relationship) => [relationship.id, relationship]));
  return {
    renderer,
    above: [],
    async openRelated(id) {
      const relationship = related.get(id);
      related.delete(id);
      return relationship && (await openDrawing(archive, relationship));
    },
    onObject: (program) => unread.object(program, place),
    onFooter: (body) => footers.set(textOf(body), body),
  };
}

/** Adds the texts of a layout or master that are not placeholders: those stand on slides as they are. */
function addFixedTexts(footers: Map<string, XmlElement>, shapes: XmlElement | undefined): void {
  for (const shape of contentOf(shapes)) {
    if (shape.name === 'grpSp') addFixedTexts(footers, shape);
    const body = shape.name === 'sp' && !placeholderOf(shape) ? contentOf(shape).find(isTextBody) : undefined;
    if (body) footers.set(textOf(body), body);
  }
}

const isTextBody = ({ name }: XmlElement): boolean => name === 'txBody';
