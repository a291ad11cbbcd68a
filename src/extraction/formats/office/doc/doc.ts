/**
 * Reads documents of Word 97 to 2003 ([MS-DOC]): headings by their styles, numbers of lists, tables, notes after the
 * paragraph they belong to, text boxes, headers and footers.
 */

import { openCompoundFile } from '../../../compound-file.ts';
import type { ExtractedFile, FileWarning } from '../../../extracted-file.ts';
import { DATA_TABLE, type HtmlRenderer, labelled, renderHtml } from '../../../rendering/html-renderer.ts';
import { type Block, blocksOf } from './doc-blocks.ts';
import { openDoc, type Story, storiesOf } from './doc-file.ts';
import { readFonts } from './doc-fonts.ts';
import { SPRM } from './doc-formats.ts';
import { readLists } from './doc-lists.ts';
import { type DocNote, marginStories, readNotes } from './doc-notes.ts';
import { type DocText, openText, type Paragraph } from './doc-paragraphs.ts';
import { type NoteAt, type RunWriter, runWriter } from './doc-runs.ts';
import { readStyles } from './doc-styles.ts';

/** What the writer of paragraphs needs. `notes`: those that are not written yet, by the character they belong to. */
type Document = {
  text: DocText;
  renderer: HtmlRenderer;
  runs: RunWriter;
  notes: Map<number, DocNote>;
  /** The label of a note whose first paragraph follows. */
  prefix: string;
  /** The element of a paragraph, and the label before its text. */
  look(paragraph: Paragraph): { element: string; label: string | undefined };
};

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX, UNSUPPORTED_FILE_TYPE */
export function extractDoc(bytes: Uint8Array): ExtractedFile {
  const file = openDoc(bytes);
  const text = openText(file);
  const stories = storiesOf(file, text.length);
  const renderer = renderHtml();
  const notes = readNotes(file, stories);
  const [styleOf, lists] = [readStyles(file), readLists(file)];
  const document: Document = {
    text,
    renderer,
    notes,
    prefix: '',
    runs: runWriter(text, renderer, readFonts(file), (at) => takeNote(document, at)),
    look({ style: number, formats }) {
      const style = styleOf(number);
      const list = formats.get(SPRM.list)?.readInt16LE(0) ?? style.list ?? 0;
      const level = formats.get(SPRM.listLevel)?.[0] ?? style.listLevel ?? 0;
      const label = list > 0 ? lists.next(list, level) : undefined;
      const outline = formats.get(SPRM.outlineLevel)?.[0];
      const heading = outline === undefined ? style.level : outline < 9 ? outline + 1 : undefined;
      const element = heading ? `h${Math.min(heading, 6)}` : label === undefined ? 'p' : 'li';
      return { element, label };
    },
  };
  writeStory(document, stories.body);
  for (const note of [...notes.values()]) writeNote(document, note);
  writeStory(document, stories.textBoxes);
  writeMargins(document, marginStories(file, stories));
  writeStory(document, stories.headerTextBoxes);
  return { extracted: renderer.finish(), warnings: objectWarnings(bytes) };
}

const writeStory = (document: Document, story: Story): void =>
  writeBlocks(document, blocksOf(document.text.paragraphs(story)));

/** A page number alone says nothing. */
const HAS_WORDS = /\p{L}/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the marks of fields
const INSTRUCTION = /\x13[^\x13-\x15]*/g;

/** The same header may stand in several sections. */
function writeMargins(document: Document, stories: Story[]): void {
  const written = new Set<string>();
  for (const story of stories) {
    const text = document.text.slice(story).replace(INSTRUCTION, '').trim();
    if (HAS_WORDS.test(text) && !written.has(text)) writeStory(document, story);
    written.add(text);
  }
}

function writeBlocks(document: Document, blocks: Block[]): void {
  const { renderer } = document;
  for (const block of blocks) {
    if ('paragraph' in block) {
      writeParagraph(document, block.paragraph);
      continue;
    }
    renderer.open('table', DATA_TABLE);
    for (const { isHeader, cells } of block.rows) {
      renderer.open('tr');
      for (const { blocks: inner, attributes } of cells) {
        const name = isHeader ? 'th' : 'td';
        renderer.open(name, attributes);
        writeBlocks(document, inner);
        renderer.close(name);
      }
      renderer.close('tr');
    }
    renderer.close('table');
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: marks of fields, pictures and notes
const INVISIBLE = /^[\x00-\x20]*$/;

function writeParagraph(document: Document, paragraph: Paragraph): void {
  const { text, renderer, runs, notes, look } = document;
  const { start, end } = paragraph;
  if (INVISIBLE.test(text.slice(paragraph))) {
    runs.write({ start, end });
    return;
  }
  const { element, label } = look(paragraph);
  const isEntry = element === 'li' && label;
  renderer.open(element, isEntry ? labelled(label) : undefined);
  if (document.prefix !== '') renderer.text(`${document.prefix} `);
  document.prefix = '';
  if (!isEntry && label) renderer.text(`${label} `);
  runs.write({ start, end });
  // Notes with a mark of the author's own, which is a character of the text.
  for (const [at, note] of notes) {
    if (at >= end) break;
    if (at < start) continue;
    notes.delete(at);
    renderer.open('note');
    writeNote(document, note);
    renderer.close('note');
  }
  renderer.close(element);
}

function takeNote(document: Document, at: number): NoteAt | undefined {
  const note = document.notes.get(at);
  if (note === undefined) return undefined;
  document.notes.delete(at);
  return { mark: note.mark, write: () => writeNote(document, note) };
}

function writeNote(document: Document, { story, label }: DocNote): void {
  document.prefix = label;
  writeStory(document, story);
  document.prefix = '';
}

/** Objects of other programs in the text, as sheets and equations: each has a storage of its own. */
function objectWarnings(bytes: Uint8Array): FileWarning[] {
  const count = openCompoundFile(bytes).open('ObjectPool')?.storages.length ?? 0;
  if (count === 0) return [];
  const objects = count === 1 ? 'One embedded object was' : `${count} embedded objects were`;
  return [{ code: 'PARTS_NOT_READ', message: `${objects} not read, such as a sheet or an equation.` }];
}
