/** Reads presentations of PowerPoint 97 to 2003 ([MS-PPT]): each slide is a page, its notes and comments follow it. */

import { openCompoundFile } from '../../../compound-file.ts';
import type { ExtractedFile, FileWarning } from '../../../extracted-file.ts';
import { corrupt, encrypted } from '../../../extraction-error.ts';
import { DATA_TABLE, type HtmlRenderer, renderHtml } from '../../../rendering/html-renderer.ts';
import { wideText } from '../../../wide-text.ts';
import { type Rec, type RecordReader, readPersisted, readRecords, TYPE } from './ppt-records.ts';
import { addStyles, NOTES_TEXT, shapesOf, type Table, type Text, TITLES, textOf } from './ppt-shapes.ts';
import type { Stretch } from './ppt-styles.ts';

/** A slide with the texts that the document keeps for it. `notes`: the record of its page of notes. */
type Slide = { record: Rec; outline: Text[]; notes: Rec | undefined };

/** The stream of the current user: a mark of encryption, and the offset of the last edit (2.3.2). */
const USER = { length: 20, mark: 12, lastEdit: 16 };
const ENCRYPTED = 0xf3d1c4df;

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export function extractPpt(bytes: Uint8Array): ExtractedFile {
  const storage = openCompoundFile(bytes);
  const user = storage.read('Current User') ?? Buffer.alloc(0);
  if (user.length >= USER.length && user.readUInt32LE(USER.mark) === ENCRYPTED) throw encrypted();
  const records = readRecords(storage.read('PowerPoint Document') ?? Buffer.alloc(0));
  const { slides, objects } = readSlides(
    records,
    user.length < USER.length ? 0 : user.readUInt32LE(USER.lastEdit),
  );
  const renderer = renderHtml();
  for (const [i, slide] of slides.entries()) {
    renderer.beginPage(i + 1);
    writeSlide(records, slide, renderer);
  }
  return { extracted: renderer.finish(), warnings: objectWarnings(objects), pageCount: slides.length };
}

function readSlides(records: RecordReader, lastEdit: number): { slides: Slide[]; objects: number } {
  const { find, documentNumber } = readPersisted(records, lastEdit);
  const document = find(documentNumber);
  if (document?.type !== TYPE.document) throw corrupt('The presentation has no main part.');
  const parts = [...records.inside(document)];
  const listed = (kind: number) =>
    parts
      .filter((part) => part.type === TYPE.slideList && part.kind === kind)
      .flatMap((list) => slidesIn(records, list));
  const notes = new Map(listed(NOTES_LIST).map(({ id, number }) => [id, number]));
  const slides = listed(SLIDE_LIST).flatMap(({ number, outline }): Slide[] => {
    const record = find(number);
    if (record?.type !== TYPE.slide) return [];
    const notesNumber = notes.get(notesIdOf(records, record));
    return [{ record, outline, notes: notesNumber === undefined ? undefined : find(notesNumber) }];
  });
  const lists = parts.filter(({ type }) => type === TYPE.objects);
  const objects = lists
    .flatMap((list) => [...records.inside(list)])
    .filter(({ type }) => type === TYPE.embeddedObject);
  return { slides, objects: objects.length };
}

/** Lists of slides (2.4.14). */
const SLIDE_LIST = 0;
const NOTES_LIST = 2;

/** `number`: of the slide's record; `id`: by which slides and notes refer to each other. */
type Listed = { number: number; id: number; outline: Text[] };

/** A reference to each slide, followed by its texts. */
function slidesIn(records: RecordReader, list: Rec): Listed[] {
  const listed: Listed[] = [];
  for (const { type, bytes } of records.inside(list)) {
    if (type === TYPE.slideReference && bytes.length >= 16)
      listed.push({ number: bytes.readUInt32LE(0), id: bytes.readUInt32LE(12), outline: [] });
    const outline = listed.at(-1)?.outline;
    if (type === TYPE.textHeader && bytes.length >= 4)
      outline?.push({ kind: bytes.readUInt32LE(0), text: '' });
    const last = outline?.at(-1);
    const text = textOf(type, bytes);
    if (last && text !== undefined && type !== TYPE.string) last.text = text;
    if (last) addStyles(last, type, bytes);
  }
  return listed;
}

function notesIdOf(records: RecordReader, slide: Rec): number {
  for (const { type, bytes } of records.inside(slide))
    if (type === TYPE.slideAtom && bytes.length >= 20) return bytes.readUInt32LE(16);
  return 0;
}

/** Placeholders of the design, the same on every slide: date, number, footer and header, and the picture of a slide. */
const BOILERPLATE_PLACES = new Set([7, 8, 9, 10, 11]);

function writeSlide(records: RecordReader, { record, outline, notes }: Slide, renderer: HtmlRenderer): void {
  const left = new Set(outline);
  for (const shape of shapesOf(records, record, outline)) {
    if ('rows' in shape) writeTable(renderer, shape);
    else if (!BOILERPLATE_PLACES.has(shape.place))
      for (const text of shape.texts) {
        writeText(renderer, text);
        left.delete(text);
      }
  }
  for (const text of left) writeText(renderer, text);
  if (notes)
    for (const shape of shapesOf(records, notes, [])) if ('texts' in shape) writeNotes(renderer, shape.texts);
  writeComments(records, record, renderer);
}

const writeNotes = (renderer: HtmlRenderer, texts: Text[]): void => {
  for (const text of texts) if (text.kind === NOTES_TEXT) writeText(renderer, text);
};

/** Paragraphs end with a carriage return, lines with a vertical tab. An asterisk alone stands for a number or date. */
function writeText(renderer: HtmlRenderer, { kind, text, raised = [] }: Text): void {
  const element = TITLES.has(kind) ? 'h1' : 'p';
  const writeStretch = raisedWriter(renderer, text, raised);
  let start = 0;
  for (const paragraph of text.split('\r')) {
    const end = start + paragraph.length;
    if (paragraph.trim() !== '*') {
      renderer.open(element);
      writeStretch(start, end);
      renderer.close(element);
    }
    start = end + 1;
  }
}

/** Writes stretches of a text, one after the other, with their superscripts. */
function raisedWriter(renderer: HtmlRenderer, text: string, raised: Stretch[]) {
  let next = 0;
  return (start: number, end: number): void => {
    for (let at = start; at < end; ) {
      while ((raised[next]?.end ?? end) <= at) next++;
      const superscript = raised[next] ?? { start: end, end };
      const isRaised = superscript.start <= at;
      const until = Math.min(end, isRaised ? superscript.end : superscript.start);
      if (isRaised) renderer.open('sup');
      writeLines(renderer, text.slice(at, until));
      if (isRaised) renderer.close('sup');
      at = until;
    }
  };
}

function writeLines(renderer: HtmlRenderer, text: string): void {
  for (const [i, line] of text.split('\x0b').entries()) {
    if (i > 0) renderer.open('br');
    renderer.text(line);
  }
}

function writeTable(renderer: HtmlRenderer, { rows }: Table): void {
  renderer.open('table', DATA_TABLE);
  for (const row of rows) {
    renderer.open('tr');
    for (const { texts, attributes } of row) {
      renderer.open('td', attributes);
      for (const text of texts) writeText(renderer, text);
      renderer.close('td');
    }
    renderer.close('tr');
  }
  renderer.close('table');
}

/** Comments stand in the tags that later versions add to a slide (2.5.21): author, text, initials. */
function writeComments(records: RecordReader, slide: Rec, renderer: HtmlRenderer): void {
  const inside = (containers: Rec[], type: number) =>
    containers
      .flatMap((container) => [...records.inside(container)])
      .filter((record) => record.type === type);
  const tags = inside(inside([slide], TYPE.tags), TYPE.tag);
  for (const comment of inside(inside(tags, TYPE.tagData), TYPE.comment)) {
    const strings = [...records.inside(comment)].filter(({ type }) => type === TYPE.string);
    const stringOf = (wanted: number) =>
      wideText(strings.find(({ kind }) => kind === wanted)?.bytes ?? Buffer.alloc(0)).trim();
    const [author, text] = [stringOf(0), stringOf(1)];
    if (text !== '') writeText(renderer, { kind: -1, text: author === '' ? text : `${author}: ${text}` });
  }
}

function objectWarnings(count: number): FileWarning[] {
  if (count === 0) return [];
  const objects = count === 1 ? 'One embedded object was' : `${count} embedded objects were`;
  return [{ code: 'PARTS_NOT_READ', message: `${objects} not read, such as a sheet or a chart.` }];
}
