/** What is open while a part or note of a Word document is written, and how its text is written. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import type { XmlElement } from '../../../markup/xml-tree.ts';
import { writeElement } from '../../../rendering/html-renderer.ts';
import { type WordFields, wordFields } from './fields.ts';
import type { WordNotes } from './notes.ts';
import { type ParagraphContext, type WordParagraphs, wordParagraphs } from './paragraphs.ts';
import type { RowSpans } from './row-spans.ts';
import { type WordTables, wordTables } from './tables.ts';
import type { WordPart } from './word-part.ts';

export type WordContext = ParagraphContext & {
  notes: WordNotes;
  /** Is called for embedded objects, which are not read, with the name of their program. */
  onObject(program: string): void;
  /** Is called for parts of a master document, which are files of their own. */
  onSubdocument(): void;
};

/** `label`: stands before a note. `depth`: of notes inside each other. `isRepeated`: a header or footer. */
export type StoryOptions = {
  part: WordPart;
  spans: RowSpans;
  label: string;
  depth: number;
  isRepeated: boolean;
};

export type Story = StoryOptions & {
  context: WordContext;
  paragraphs: WordParagraphs;
  tables: WordTables;
  fields: WordFields;
  /** The number of cells so far. */
  cells: number;
  /** The open elements of properties, from the outermost. */
  properties: string[];
  /** For each choice between newer and older markup, whether what was read of it had any text. */
  alternatives: boolean[];
  /** The number of open text boxes. */
  boxes: number;
  /** The open element whose text is read. */
  leaf: 't' | 'instrText' | undefined;
  /** The number of equations in the open paragraph of equations, which are shown below each other. */
  equations: number | undefined;
  /** Headers and footers inside the part. */
  margins: XmlElement[];
};

/** Notes deeper inside each other follow the text; text boxes stand where they are. */
export const NOTE_DEPTH_MAX = 4;

export function newStory(context: WordContext, options: StoryOptions): Story {
  return {
    ...options,
    context,
    paragraphs: wordParagraphs(context, options.label),
    tables: wordTables(context.renderer, options.spans),
    fields: wordFields({ isRepeated: options.isRepeated }),
    cells: 0,
    properties: [],
    alternatives: [],
    boxes: 0,
    leaf: undefined,
    equations: undefined,
    margins: [],
  };
}

/** Notes that the open alternative was read, so that the older markup of the same is not. */
export function markRead({ alternatives }: Story, isRead: boolean): void {
  if (isRead && alternatives.length > 0) alternatives[alternatives.length - 1] = true;
}

/** Writes text, unless it is part of a field's instruction. */
export function show(story: Story, text: string): void {
  markRead(story, !story.fields.isHidden() && story.paragraphs.write(text));
}

/** Writes what stands beside the text, after the block around it. */
export function aside(story: Story, writeContent: () => void): void {
  const { renderer } = story.context;
  story.paragraphs.begin();
  renderer.open('note');
  writeContent();
  renderer.close('note');
  markRead(story, true);
}

/** Writes the description of a drawing, if it has one. */
export function describe(story: Story, text: string): void {
  if (text === '') return;
  aside(story, () => writeElement(story.context.renderer, 'p', text));
}

/** Writes what a relationship leads to, once. */
export function writeRelated(story: Story, id: string): void {
  const { related } = story.part;
  const writer = related.get(id);
  related.delete(id);
  if (writer) aside(story, writer);
}

/**
 * Opens a box: paragraphs beside the text. Each is kept as a note until the block around it ends, with all
 * boxes inside it, so deeper ones are no notes.
 */
export function openBox(story: Story): { element: string } | undefined {
  story.paragraphs.begin();
  story.paragraphs.openBox();
  return story.boxes++ < NOTE_DEPTH_MAX ? { element: 'note' } : undefined;
}

export function closeBox(story: Story): void {
  story.boxes--;
  story.paragraphs.closeBox();
}

/** Takes an element inside properties. */
export function takeProperty(story: Story, name: string, attributes: Attributes): void {
  const { properties, fields, paragraphs, tables } = story;
  const from = properties[0] ?? name;
  properties.push(name);
  if (from === 'ffData') fields.formProperty(name, attributes);
  else if (from === 'pPr' || from === 'rPr') paragraphs.property(from, name, attributes);
  else tables.property(name, attributes);
}
