/** Translates the elements of a Word document's parts (ECMA-376 part 1, clause 17). */

import { altText } from '../../../markup/alt-text.ts';
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute, readXml, type XmlEvents } from '../../../markup/read-xml.ts';
import { replay, type XmlElement } from '../../../markup/xml-tree.ts';
import { writeElement } from '../../../rendering/html-renderer.ts';
import { type Translation, type Translator, translating } from '../../../rendering/translate-xml.ts';
import { symbolOf } from '../../../symbol-fonts.ts';
import { linearEquation } from '../equations/equation.ts';
import { relationshipId } from '../relationships.ts';
import { isPageNumber, wordFields } from './fields.ts';
import type { Note, NoteKind, WordNotes } from './notes.ts';
import { type ParagraphContext, wordParagraphs } from './paragraphs.ts';
import { type RowSpans, rowSpans } from './row-spans.ts';
import { wordTables } from './tables.ts';
import type { WordPart } from './word-part.ts';

/** `onObject`: is called for embedded objects with the name of their program, which are not read. */
export type WordContext = ParagraphContext & { notes: WordNotes; onObject(program: string): void };

/** Renders a part. `isRepeated`: it is a header or footer. */
export function writePart(
  context: WordContext,
  part: WordPart,
  { isRepeated }: { isRepeated: boolean },
): void {
  const read = (events: XmlEvents) => readXml(part.bytes, events);
  const spans: RowSpans = part.bytes.includes('vMerge') ? rowSpans(read) : new Map();
  write(context, { part, spans, label: '', depth: 0, isRepeated }, read);
}

/** Renders a note. `depth`: of notes inside each other. */
export function writeNote(context: WordContext, { label, content, part }: Note, depth = 0): void {
  const read = (events: Required<XmlEvents>) => replay(content, events);
  write(context, { part, spans: rowSpans(read), label, depth, isRepeated: false }, read);
}

/** Notes deeper inside each other follow the text; text boxes stand where they are. */
const NOTE_DEPTH_MAX = 4;

type Story = { part: WordPart; spans: RowSpans; label: string; depth: number; isRepeated: boolean };

/** Cells are counted before any is skipped, as `rowSpans` counts them. */
function write(context: WordContext, story: Story, read: (events: Required<XmlEvents>) => void): void {
  let cells = 0;
  const { open, close, text } = translating(
    context.renderer,
    translator(context, story, () => cells),
  );
  read({
    open(name, attributes) {
      if (name === 'tc') cells++;
      open(name, attributes);
    },
    close,
    text,
  });
}

/** Deleted and moved text, former properties, descriptions of controls and pages, pronunciation. */
const SKIPPED = new Set(
  (
    'del moveFrom delText sectPr binData sdtPr sdtEndPr rt pPrChange rPrChange tblPrChange trPrChange ' +
    'tcPrChange tblPrExChange tblGridChange sectPrChange numberingChange'
  ).split(' '),
);
const PROPERTIES = new Set(['pPr', 'rPr', 'tblPr', 'tblGrid', 'trPr', 'tcPr', 'ffData']);

const NOTE_REFERENCES = new Map<string, NoteKind>([
  ['footnoteReference', 'footnote'],
  ['endnoteReference', 'endnote'],
  ['commentReference', 'comment'],
]);

/** Only the text of `t` is text. Drawings have numbers and words in other elements, which place them. */
function translator(
  context: WordContext,
  { part, spans, label, depth, isRepeated }: Story,
  cells: () => number,
): Translator {
  const { renderer, notes } = context;
  const paragraphs = wordParagraphs(context, label);
  const tables = wordTables(renderer, spans);
  const fields = wordFields({ isRepeated });
  /** The open elements of properties, from the outermost. */
  const properties: string[] = [];
  /** For each choice between newer and older markup, whether what was read of it had any text. */
  const alternatives: boolean[] = [];
  /** The number of open text boxes. */
  let boxes = 0;
  let leaf: 't' | 'instrText' | undefined;
  /** The number of equations in the open paragraph of equations, which are shown below each other. */
  let equations: number | undefined;

  const markRead = (isRead: boolean): void => {
    if (isRead && alternatives.length > 0) alternatives[alternatives.length - 1] = true;
  };
  const show = (text: string): void => markRead(!fields.isHidden() && paragraphs.write(text));
  /** Writes what stands beside the text, after the block around it. */
  const aside = (writeContent: () => void): void => {
    paragraphs.begin();
    renderer.open('note');
    writeContent();
    renderer.close('note');
    markRead(true);
  };
  const describe = (text: string): void => {
    if (text !== '') aside(() => writeElement(renderer, 'p', text));
  };
  const writeRelated = (id: string): void => {
    const writer = part.related.get(id);
    part.related.delete(id);
    if (writer) aside(writer);
  };
  const refer = (kind: NoteKind, attributes: Attributes): void => {
    if (depth >= NOTE_DEPTH_MAX) return;
    const hasMark = attribute(attributes, 'customMarkFollows') !== undefined;
    // The mark stands before the note only: in the sentence it would part words that are searched as one phrase.
    const note = notes.refer(kind, attribute(attributes, 'id') ?? '', hasMark);
    if (note) aside(() => writeNote(context, note, depth + 1));
  };
  const equation = (element: XmlElement): void => {
    if (equations !== undefined && equations++ > 0) paragraphs.lineBreak();
    show(linearEquation(element));
  };

  const openDrawing = (name: string, attributes: Attributes): Translation => {
    switch (name) {
      case 'txbxContent':
      case 'txBody':
        paragraphs.begin();
        paragraphs.openBox();
        // Each note is kept until the block around it ends, with all notes inside it.
        return boxes++ < NOTE_DEPTH_MAX ? { element: 'note' } : undefined;
      case 'docPr':
        describe(altText(attribute(attributes, 'descr') ?? attribute(attributes, 'title')));
        return undefined;
      case 'shape':
        describe(altText(attribute(attributes, 'alt')));
        return undefined;
      case 'textpath':
        describe(attribute(attributes, 'string')?.trim() ?? '');
        return undefined;
      case 'chart':
        writeRelated(relationshipId(attributes));
        return undefined;
      case 'relIds':
        writeRelated(attribute(attributes, 'dm') ?? '');
        return undefined;
      case 'OLEObject':
        context.onObject(attribute(attributes, 'ProgID') ?? '');
        return undefined;
      default:
        return undefined;
    }
  };
  const openInline = (name: string, attributes: Attributes): Translation => {
    const kind = NOTE_REFERENCES.get(name);
    if (kind) refer(kind, attributes);
    else if (name === 'r') paragraphs.openRun();
    else if (name === 't' || name === 'instrText') leaf = name;
    else if (name === 'tab' || name === 'ptab') show(' ');
    else if (name === 'br' || name === 'cr') paragraphs.lineBreak();
    else if (name === 'noBreakHyphen') show('\u2011');
    else if (name === 'sym') show(symbol(attributes));
    else if (name === 'fldSimple')
      return isRepeated && isPageNumber(attribute(attributes, 'instr')) ? 'skip' : undefined;
    else if (name === 'fldChar') show(fields.mark(attributes));
    else if (name === 'oMathPara') equations = 0;
    else if (name === 'oMath') return { collect: equation };
    else return openDrawing(name, attributes);
    return undefined;
  };
  const openProperty = (name: string, attributes: Attributes): void => {
    const from = properties[0] ?? name;
    properties.push(name);
    if (from === 'ffData') fields.formProperty(name, attributes);
    else if (from === 'pPr' || from === 'rPr') paragraphs.property(from, name, attributes);
    else tables.property(name, attributes);
  };
  return {
    open(name, attributes) {
      // Inside properties a deletion is that of a paragraph's end or a row.
      if (SKIPPED.has(name) && !(properties.length > 0 && (name === 'del' || name === 'moveFrom')))
        return 'skip';
      if (properties.length > 0 || PROPERTIES.has(name)) {
        openProperty(name, attributes);
        return undefined;
      }
      if (!tables.beginContent()) return 'skip';
      if (name === 'AlternateContent') alternatives.push(false);
      if ((name === 'Choice' || name === 'Fallback') && alternatives.at(-1)) return 'skip';
      if (name === 'p') paragraphs.open();
      else if (name === 'tbl' || name === 'tr' || name === 'tc') {
        if (name === 'tbl') paragraphs.interrupt();
        tables.open(name, cells());
      } else if (name === 'altChunk') writeRelated(relationshipId(attributes));
      else return openInline(name, attributes);
      return undefined;
    },
    close(name) {
      if (properties.length > 0) {
        properties.pop();
        return;
      }
      leaf = undefined;
      if (name === 'p') {
        paragraphs.close();
        fields.endParagraph();
      } else if (name === 'txbxContent' || name === 'txBody') {
        boxes--;
        paragraphs.closeBox();
      } else if (name === 'r') paragraphs.closeRun();
      else if (name === 'AlternateContent') markRead(alternatives.pop() ?? false);
      else if (name === 'oMathPara') equations = undefined;
      else tables.close(name);
    },
    text(text) {
      if (properties.length > 0) return '';
      if (leaf === 'instrText') fields.instruction(text);
      if (leaf === 't') show(text);
      return '';
    },
  };
}

function symbol(attributes: Attributes): string {
  const code = Number.parseInt(attribute(attributes, 'char') ?? '', 16);
  return symbolOf(attribute(attributes, 'font') ?? '', code);
}
