/** Opens a Word document: its parts with text, its styles and lists, and what its drawings show. */
import { corrupt, ExtractionError } from '../../../extraction-error.ts';
import { attributeOf, childOf, descendants, readXmlTree } from '../../../markup/xml-tree.ts';
import type { Archive } from '../../archive.ts';
import { openDrawing } from '../drawings/related-drawing.ts';
import { mainPart, type Relationship, relationshipsOf } from '../relationships.ts';
import { type ChunkOptions, prepareChunk } from './chunks.ts';
import { type NoteNumbers, type NoteParts, type WordNotes, wordNotes } from './notes.ts';
import { createNumbering, type Numbering } from './numbering/numbering.ts';
import { readNumbering } from './numbering/numbering-part.ts';
import { type WordStyles, wordStyles } from './styles.ts';
import type { WordPart } from './word-part.ts';

/** `margins`: headers and footers. */
export type WordFile = {
  body: WordPart;
  notes: WordNotes;
  margins: WordPart[];
  styles: WordStyles;
  numbering: Numbering;
};

/** `onUnread`: is called with the names of inserted documents that are not read. */
export type OpenOptions = ChunkOptions & { onUnread(name: string): void };

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function openWordFile(archive: Archive, options: OpenOptions): Promise<WordFile> {
  const main = await mainPart(archive, 'word/document.xml');
  const relationships = await relationshipsOf(archive, main);
  const open = (name: string) => openPart(archive, name, options);
  const openFirst = async (type: string) => {
    const target = relationships.find((relationship) => relationship.type === type)?.target;
    return target === undefined ? undefined : await open(target);
  };
  const body = await open(main);
  if (!body) throw corrupt('The document has no body.');
  const styles = wordStyles((await openFirst('styles'))?.bytes);
  const settings = (await openFirst('settings'))?.bytes;
  const noted = async (type: string, format: string): Promise<NoteParts> => ({
    part: await openFirst(type),
    numbers: noteNumbers(settings, `${type.slice(0, -1)}Pr`, format),
  });
  return {
    body,
    styles,
    numbering: createNumbering(
      readNumbering((await openFirst('numbering'))?.bytes),
      (style) => styles.listPlace(style).list,
    ),
    notes: wordNotes({
      footnote: await noted('footnotes', 'decimal'),
      endnote: await noted('endnotes', 'lowerRoman'),
      comment: await noted('comments', 'none'),
    }),
    margins: await openMargins(relationships, open),
  };
}

/** Headers, then footers; those with the same content once. */
async function openMargins(
  relationships: readonly Relationship[],
  open: (name: string) => Promise<WordPart | undefined>,
): Promise<WordPart[]> {
  const margins = new Map<string, WordPart>();
  for (const wanted of ['header', 'footer']) {
    for (const { target } of relationships.filter(({ type }) => type === wanted)) {
      const part = await open(target);
      if (part) margins.set(part.bytes.toString('latin1'), part);
    }
  }
  return [...margins.values()];
}

async function openPart(archive: Archive, name: string, options: OpenOptions): Promise<WordPart | undefined> {
  const bytes = await archive.read(name);
  if (!bytes) return undefined;
  const related = new Map<string, () => void>();
  for (const relationship of await relationshipsOf(archive, name)) {
    const write = await prepare(archive, relationship, options);
    if (write) related.set(relationship.id, write);
  }
  return { bytes, related };
}

/** Reads what a relationship leads to, if it is shown as text; returns what writes it. */
async function prepare(
  archive: Archive,
  relationship: Relationship,
  options: OpenOptions,
): Promise<(() => void) | undefined> {
  const { renderer, onUnread } = options;
  const drawing = await openDrawing(archive, relationship);
  if (drawing) return () => drawing(renderer);
  const { type, target } = relationship;
  const bytes = type === 'aFChunk' ? await archive.read(target) : undefined;
  if (!bytes) return undefined;
  return await prepareChunk({ name: target, bytes }, options).catch((error: unknown) => {
    if (!(error instanceof ExtractionError)) throw error;
    onUnread(target);
    return undefined;
  });
}

/** How the notes of a kind are numbered: its element in the document's settings (17.11.12). */
function noteNumbers(settings: Uint8Array | undefined, name: string, format: string): NoteNumbers {
  const [properties] = settings ? descendants(readXmlTree(settings), new Set([name])) : [];
  const start = Number(attributeOf(childOf(properties, 'numStart'), 'val') ?? 1);
  return {
    format: attributeOf(childOf(properties, 'numFmt'), 'val') ?? format,
    start: Number.isInteger(start) ? start : 1,
  };
}
