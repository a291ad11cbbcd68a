/** Paragraphs and tables that follow each other: the document, or one of its notes, headers, footers and text boxes. */
import { labelled } from '../../../rendering/html-renderer.ts';
import type { RenderedEvents } from '../../../rendering/repeated-blocks.ts';
import { type TextPosition, type TextRuns, textRuns } from '../../../rendering/text-runs.ts';
import { type RowDefinitions, rowDefinitions } from './row-definitions.ts';
import { type RtfTable, rtfTable } from './table.ts';

export type Story = {
  text(text: string, position: TextPosition | undefined): void;
  control(name: string, parameter: number | undefined): void;
  label(label: string): void;
  setHeading(level: number | undefined): void;
  /** Sets what precedes the story's first text, such as the author of a comment. */
  introduce(introduction: string): void;
  /** Another story begins inside this one. Returns where it may be written: to the document, or the open cell. */
  pause(): RenderedEvents;
  end(): void;
};

type State = {
  tables: RtfTable[];
  rows: RowDefinitions;
  /** The element of the open paragraph. */
  paragraph: string | undefined;
  /** The number or bullet of the next paragraph; empty where it has none. */
  label: string;
  /** Precedes the first text; undefined once it is written. */
  introduction: string | undefined;
  /** What the file says of the next paragraph. */
  isInTable: boolean;
  tableDepth: number;
  headingLevel: number | undefined;
  /** 0: none. */
  list: number;
  listLevel: number;
};

/** Tables in tables; office programs have fewer. */
const TABLE_DEPTH_MAX = 30;

/**
 * The label of the next paragraph: a bullet, a number, or empty. `written`: as the file has it. `list`: 0 for none.
 */
export type LabelOf = (written: string, list: number, level: number) => string;

/** Before the first paragraph. */
const newState = (): State => ({
  tables: [],
  rows: rowDefinitions(),
  paragraph: undefined,
  label: '',
  introduction: '',
  isInTable: false,
  tableDepth: 0,
  headingLevel: undefined,
  list: 0,
  listLevel: 0,
});

function createWriter(outer: RenderedEvents, labelOf: LabelOf): Writer {
  const state = newState();
  const target = (): RenderedEvents => state.tables.at(-1)?.cell() ?? outer;
  const runs = textRuns({
    open: (name) => target().open(name),
    close: (name) => target().close(name),
    text: (text) => target().text(text),
  });
  return { state, target, labelOf, runs };
}

/** `outer`: where the story's text goes. */
export function story(outer: RenderedEvents, labelOf: LabelOf): Story {
  const writer = createWriter(outer, labelOf);
  const { state } = writer;
  return {
    text(text, position) {
      if (state.paragraph === undefined && !/\S/.test(text)) return;
      beginText(writer);
      writer.runs.write(text, position);
    },
    control(name, parameter) {
      LAYOUT.get(name)?.(writer);
      if (state.rows.take(name, parameter)) return;
      describe(state, name, parameter);
    },
    label(label) {
      state.label = label.trim();
    },
    setHeading(level) {
      state.headingLevel = level;
    },
    introduce(introduction) {
      if (state.introduction !== undefined) state.introduction = introduction;
    },
    pause() {
      writer.runs.end();
      nest(writer, depthOf(state));
      return writer.target();
    },
    end() {
      closeParagraph(writer);
      nest(writer, 0);
    },
  };
}

type Writer = {
  state: State;
  target(): RenderedEvents;
  runs: TextRuns;
  labelOf: LabelOf;
};

/** Control words that write or end something. */
const LAYOUT = new Map<string, (writer: Writer) => void>([
  ['par', endParagraph],
  ['sect', endParagraph],
  ['page', endParagraph],
  ['column', endParagraph],
  ['line', breakLine],
  ['lbr', breakLine],
  ['cell', (writer) => endCell(writer, 1)],
  ['nestcell', (writer) => endCell(writer, Math.max(2, depthOf(writer.state)))],
  ['row', (writer) => endRow(writer, 1)],
  ['nestrow', (writer) => endRow(writer, Math.max(2, writer.state.tables.length))],
]);

const PLAIN_PARAGRAPH = { isInTable: false, tableDepth: 0, headingLevel: undefined, list: 0, listLevel: 0 };

/** Control words that describe the next paragraph. */
function describe(state: State, name: string, parameter = 1): void {
  if (name === 'pard') Object.assign(state, PLAIN_PARAGRAPH);
  if (name === 'ls') state.list = parameter;
  if (name === 'ilvl') state.listLevel = parameter;
  if (name === 'intbl') state.isInTable = parameter !== 0;
  if (name === 'itap') state.tableDepth = parameter;
  // Level 9 (from 0) means body text.
  if (name === 'outlinelevel' && parameter >= 0 && parameter < 9) state.headingLevel = parameter + 1;
}

const depthOf = ({ isInTable, tableDepth, rows }: State): number =>
  Math.min(Math.max(tableDepth, isInTable || rows.isRowOpen() ? 1 : 0), TABLE_DEPTH_MAX);

/** Ends tables, or begins them in the open cells of the outer ones, until so many are open. */
function nest(writer: Writer, depth: number): void {
  const { tables } = writer.state;
  if (depth !== tables.length) closeParagraph(writer);
  while (tables.length < depth) tables.push(rtfTable());
  while (tables.length > depth) tables.pop()?.writeTo(writer.target());
}

/** Opens the elements in which the next character stands. */
function beginText(writer: Writer): void {
  const { state, target, runs } = writer;
  nest(writer, depthOf(state));
  if (state.paragraph !== undefined) return;
  const { headingLevel, list, listLevel } = state;
  const label = writer.labelOf(state.label, list, listLevel);
  const isNumber = isNumberLabel(label);
  const level = headingLevel && Math.min(headingLevel, 6);
  state.paragraph = level ? `h${level}` : label === '' ? 'p' : 'li';
  target().open(state.paragraph, !level && isNumber ? labelled(label) : undefined);
  for (const before of [state.introduction, level && isNumber ? label : ''])
    if (before) runs.write(`${before} `, undefined);
  Object.assign(state, { label: '', introduction: undefined });
}

/** Other labels are bullets: signs, or the letter `o`, which looks like one in the font that Word uses for it. */
const isNumberLabel = (label: string): boolean => /[\p{L}\p{N}]/u.test(label) && label !== 'o';

function closeParagraph({ state, target, runs }: Writer): void {
  runs.end();
  if (state.paragraph !== undefined) target().close(state.paragraph);
  state.paragraph = undefined;
}

/** A paragraph outside tables ends those before it, even without text. */
function endParagraph(writer: Writer): void {
  closeParagraph(writer);
  writer.state.label = '';
  if (depthOf(writer.state) === 0) nest(writer, 0);
}

function breakLine({ state, target, runs }: Writer): void {
  runs.end();
  if (state.paragraph !== undefined) target().open('br');
}

function endCell(writer: Writer, depth: number): void {
  closeParagraph(writer);
  writer.state.label = '';
  nest(writer, depth);
  writer.state.tables.at(-1)?.endCell();
}

function endRow(writer: Writer, depth: number): void {
  const { state } = writer;
  closeParagraph(writer);
  if (state.tables.length < depth) return;
  nest(writer, depth);
  state.tables.at(-1)?.endRow(state.rows.definition(depth));
}
