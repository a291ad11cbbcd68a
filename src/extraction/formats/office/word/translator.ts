/** Translates the elements of a Word document's parts (ECMA-376 part 1, clause 17). */

import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute, readXml, type XmlEvents } from '../../../markup/read-xml.ts';
import { replay, type XmlElement } from '../../../markup/xml-tree.ts';
import { type Translation, type Translator, translating } from '../../../rendering/translate-xml.ts';
import { symbolOf } from '../../../symbol-fonts.ts';
import { linearEquation } from '../equations/equation.ts';
import { relationshipId } from '../relationships.ts';
import { BOXES, openDrawing } from './drawing-elements.ts';
import { isPageNumber } from './fields.ts';
import { labelOf, type Note, type NoteKind } from './notes.ts';
import { rowSpans } from './row-spans.ts';
import {
  aside,
  closeBox,
  markRead,
  NOTE_DEPTH_MAX,
  newStory,
  openBox,
  type Story,
  type StoryOptions,
  show,
  takeProperty,
  type WordContext,
  writeRelated,
} from './story.ts';
import type { WordPart } from './word-part.ts';

/** Renders a part. `isRepeated`: it is a header or footer. */
export function writePart(
  context: WordContext,
  part: WordPart,
  { isRepeated }: { isRepeated: boolean },
): void {
  const read = (events: XmlEvents) => readXml(part.bytes, events);
  const hasMergedCells = part.bytes.includes('vMerge') || part.bytes.includes('vmerge');
  const spans = hasMergedCells ? rowSpans(read) : new Map<number, number>();
  const { margins } = write(context, { part, spans, label: '', depth: 0, isRepeated }, read);
  for (const margin of margins) writeTree(context, margin, { part, label: '', depth: 0, isRepeated: true });
}

/** Renders a note. `depth`: of notes inside each other. */
export function writeNote(context: WordContext, { label, content, part }: Note, depth = 0): void {
  writeTree(context, content, { part, label, depth, isRepeated: false });
}

function writeTree(context: WordContext, content: XmlElement, options: Omit<StoryOptions, 'spans'>): void {
  const read = (events: Required<XmlEvents>) => {
    for (const child of content.children) replay(child, events);
  };
  write(context, { ...options, spans: rowSpans(read) }, read);
}

/** Cells are counted before any is skipped, as `rowSpans` counts them. */
function write(
  context: WordContext,
  options: StoryOptions,
  read: (events: Required<XmlEvents>) => void,
): Story {
  const story = newStory(context, options);
  const { open, close, text } = translating(context.renderer, translator(story));
  read({
    open(name, attributes) {
      if (name === 'tc') story.cells++;
      open(name, attributes);
    },
    close,
    text,
  });
  return story;
}

/** Deleted and moved text, former properties, descriptions of controls, pronunciation. */
const SKIPPED = new Set(
  (
    'del moveFrom delText binData sdtPr sdtEndPr rt pPrChange rPrChange tblPrChange trPrChange tcPrChange ' +
    'tblPrExChange tblGridChange sectPrChange numberingChange'
  ).split(' '),
);
const PROPERTIES = new Set(['sectPr', 'pPr', 'rPr', 'tblPr', 'tblGrid', 'trPr', 'tcPr', 'ffData']);
/** Headers and footers, which Word 2003 keeps in the properties of sections. */
const MARGINS = new Set(['hdr', 'ftr']);
/** Inside properties these say that the end of a paragraph or a row is deleted. */
const DELETIONS = new Set(['del', 'moveFrom']);

/** Only the text of `t` is text. Drawings have numbers and words in other elements, which place them. */
function translator(story: Story): Translator {
  const { properties } = story;
  return {
    open(name, attributes) {
      if (properties.length === 0 ? SKIPPED.has(name) : SKIPPED.has(name) && !DELETIONS.has(name))
        return 'skip';
      if (properties.length === 0 && !PROPERTIES.has(name)) return openElement(story, name, attributes);
      if (MARGINS.has(name)) return { collect: (margin) => story.margins.push(margin) };
      takeProperty(story, name, attributes);
      return undefined;
    },
    close(name) {
      if (properties.length > 0) properties.pop();
      else closeElement(story, name);
    },
    text(text) {
      if (story.leaf === 'instrText') story.fields.instruction(text);
      if (story.leaf === 't' && properties.length === 0) show(story, text);
      return '';
    },
  };
}

function openElement(story: Story, name: string, attributes: Attributes): Translation {
  const { paragraphs, tables, alternatives } = story;
  if (!tables.beginContent()) return 'skip';
  switch (name) {
    case 'AlternateContent':
      alternatives.push(false);
      return undefined;
    case 'Choice':
    case 'Fallback':
      return alternatives.at(-1) ? 'skip' : undefined;
    case 'tbl':
    case 'tr':
    case 'tc':
      if (name === 'tbl') paragraphs.interrupt();
      tables.open(name, story.cells);
      return undefined;
    case 'p':
      paragraphs.open();
      return undefined;
    case 'subDoc':
      story.context.onSubdocument();
      return undefined;
    case 'altChunk':
      writeRelated(story, relationshipId(attributes));
      return undefined;
    default:
      return openInline(story, name, attributes);
  }
}

function closeElement(story: Story, name: string): void {
  const { paragraphs, tables, fields, alternatives } = story;
  story.leaf = undefined;
  if (name === 'p') {
    paragraphs.close();
    fields.endParagraph();
  } else if (BOXES.has(name) || OLDER_NOTES.has(name)) closeBox(story);
  else if (name === 'r') paragraphs.closeRun();
  else if (name === 'AlternateContent') markRead(story, alternatives.pop() ?? false);
  else if (name === 'oMathPara') story.equations = undefined;
  else tables.close(name);
}

/** Elements of Word 2003 XML, in which notes stand in the text, and changes and comments are annotations. */
const OLDER_NOTES = new Set(['footnote', 'endnote']);

const NOTE_REFERENCES = new Map<string, NoteKind>([
  ['footnoteReference', 'footnote'],
  ['endnoteReference', 'endnote'],
  ['commentReference', 'comment'],
]);

/** Elements that stand for characters. */
const CHARACTERS = new Map([
  ['tab', ' '],
  ['ptab', ' '],
  ['noBreakHyphen', '\u2011'],
]);

function openInline(story: Story, name: string, attributes: Attributes): Translation {
  const { paragraphs, fields } = story;
  const [kind, character] = [NOTE_REFERENCES.get(name), CHARACTERS.get(name)];
  if (kind) refer(story, kind, attributes);
  else if (character !== undefined) show(story, character);
  else if (name === 'r') paragraphs.openRun();
  else if (name === 't' || name === 'instrText') story.leaf = name;
  else if (name === 'br' || name === 'cr') paragraphs.lineBreak();
  else if (name === 'sym') show(story, symbol(attributes));
  else if (name === 'fldChar') show(story, fields.mark(attributes));
  else if (name === 'fldSimple')
    return story.isRepeated && isPageNumber(attribute(attributes, 'instr')) ? 'skip' : undefined;
  else if (name === 'oMathPara') story.equations = 0;
  else if (name === 'oMath') return { collect: (element) => showEquation(story, linearEquation(element)) };
  else if (OLDER_NOTES.has(name)) return openBox(story);
  else if (name === 'annotation') return openAnnotation(story, attributes);
  else return openDrawing(story, name, attributes);
  return undefined;
}

/** A change or comment of Word 2003. */
function openAnnotation(story: Story, attributes: Attributes): Translation {
  const type = attribute(attributes, 'type');
  if (type !== 'Word.Comment') return type === 'Word.Deletion' ? 'skip' : undefined;
  const { context, part, depth } = story;
  return {
    collect: (content) =>
      aside(story, () => writeNote(context, { label: labelOf(content), content, part }, depth + 1)),
  };
}

function refer(story: Story, kind: NoteKind, attributes: Attributes): void {
  const { context, depth } = story;
  if (depth >= NOTE_DEPTH_MAX) return;
  const hasMark = attribute(attributes, 'customMarkFollows') !== undefined;
  // The mark stands before the note only: in the sentence it would part words that are searched as one phrase.
  const note = context.notes.refer(kind, attribute(attributes, 'id') ?? '', hasMark);
  if (note) aside(story, () => writeNote(context, note, depth + 1));
}

function showEquation(story: Story, text: string): void {
  if (story.equations !== undefined && story.equations++ > 0) story.paragraphs.lineBreak();
  show(story, text);
}

function symbol(attributes: Attributes): string {
  const code = Number.parseInt(attribute(attributes, 'char') ?? '', 16);
  return symbolOf(attribute(attributes, 'font') ?? '', code);
}
