/** Writes the paragraphs and runs of a Word document: headings, numbered and listed paragraphs, superscripts. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import { type HtmlRenderer, labelled } from '../../../rendering/html-renderer.ts';
import { symbolText } from '../../../symbol-fonts.ts';
import type { Label, Numbering } from './numbering/numbering.ts';
import { type RunLook, runLook } from './run-look.ts';
import type { WordStyles } from './styles.ts';

/**
 * A paragraph becomes an HTML element with its first visible text, since its properties precede that; until then
 * `element` is undefined. `script`: the element of the open superscript or subscript.
 */
type Paragraph = {
  element: string | undefined;
  style: string;
  outline: number | undefined;
  isListed: boolean;
  /** Its label as Word 2003 writes it into the file. */
  label: string;
  list: string | undefined;
  level: number | undefined;
  /** A large first letter in a frame: the word goes on in the next paragraph (17.3.1.11). */
  isDropCap: boolean;
  /** Its end has been deleted. */
  isMarkDeleted: boolean;
  isCounted: boolean;
  script: '' | 'sup' | 'sub';
  run: (RunLook & { style: string }) | undefined;
};

export type ParagraphContext = {
  renderer: HtmlRenderer;
  styles: WordStyles;
  numbering: Numbering;
  /** Is called for text that the reader does not see. */
  onHidden(): void;
};

export type WordParagraphs = {
  open(): void;
  close(): void;
  /** A text box stands in a paragraph, and has paragraphs of its own. */
  openBox(): void;
  closeBox(): void;
  openRun(): void;
  closeRun(): void;
  /** `from`: the name of the outermost element of properties, `pPr` or `rPr`. */
  property(from: string, name: string, attributes: Attributes): void;
  /** Writes text as the innermost paragraph's run shows it. Returns whether anything is visible. */
  write(text: string): boolean;
  /** Begins the innermost paragraph, so that what is written next stands in it. */
  begin(): void;
  lineBreak(): void;
  /** Ends the innermost paragraph before a block that stands inside it. */
  interrupt(): void;
};

/** `prefix`: text that stands before the next paragraph. */
type State = ParagraphContext & {
  /** The open paragraphs, from the outermost; undefined for a text box. */
  open: (Paragraph | undefined)[];
  prefix: string;
};

/** `label`: stands before the first paragraph. */
export function wordParagraphs(context: ParagraphContext, label: string): WordParagraphs {
  const state: State = { ...context, open: [], prefix: label === '' ? '' : `${label} ` };
  const { open } = state;
  const innermost = (act: (paragraph: Paragraph) => void) => () => {
    const paragraph = open.at(-1);
    if (paragraph) act(paragraph);
  };
  return {
    open: () => open.push({ ...NEW_PARAGRAPH }),
    close() {
      const paragraph = open.pop();
      if (paragraph) endParagraph(state, paragraph);
    },
    openBox: () => open.push(undefined),
    closeBox: () => open.pop(),
    openRun: innermost((paragraph) => {
      paragraph.run = { script: undefined, isHidden: undefined, font: undefined, style: '' };
    }),
    closeRun: innermost((paragraph) => {
      paragraph.run = undefined;
    }),
    property(from, name, attributes) {
      const paragraph = open.at(-1);
      if (paragraph && from === 'pPr') takeProperty(paragraph, name, attributes);
      if (paragraph?.run && from === 'rPr') takeRunProperty(paragraph.run, name, attributes);
    },
    write(text) {
      const paragraph = open.at(-1);
      return paragraph !== undefined && text !== '' && writeText(state, paragraph, text);
    },
    begin: innermost((paragraph) => begin(state, paragraph)),
    lineBreak: innermost((paragraph) => {
      if (paragraph.element === undefined) return;
      setScript(state.renderer, paragraph, '');
      state.renderer.open('br');
    }),
    interrupt: innermost((paragraph) => interrupt(state, paragraph)),
  };
}

/** Writes text as its run shows it. Returns whether anything is visible. */
function writeText(state: State, paragraph: Paragraph, text: string): boolean {
  const look = lookOf(state.styles, paragraph);
  const isBlank = text.trim() === '';
  if (look.isHidden) {
    if (!isBlank) state.onHidden();
    return false;
  }
  if (isBlank && paragraph.element === undefined && !state.styles.isCode(paragraph.style)) return false;
  if (paragraph.isDropCap) {
    state.prefix += text;
    return true;
  }
  begin(state, paragraph);
  setScript(state.renderer, paragraph, look.script ?? '');
  state.renderer.text(look.font ? symbolText(look.font, text) : text);
  return !isBlank;
}

function begin(state: State, paragraph: Paragraph): void {
  if (paragraph.element !== undefined) return;
  beginParagraph(state, paragraph);
  state.renderer.text(state.prefix);
  state.prefix = '';
}

/** The reader sees the number of an empty paragraph, and those after it count on. */
function endParagraph(state: State, paragraph: Paragraph): void {
  if (!paragraph.isCounted && !paragraph.isMarkDeleted) labelOf(state, paragraph);
  interrupt(state, paragraph);
}

function interrupt({ renderer }: State, paragraph: Paragraph): void {
  setScript(renderer, paragraph, '');
  if (paragraph.element !== undefined) renderer.close(paragraph.element);
  paragraph.element = undefined;
}

const NEW_PARAGRAPH: Readonly<Paragraph> = {
  element: undefined,
  style: '',
  outline: undefined,
  isListed: false,
  label: '',
  list: undefined,
  level: undefined,
  isDropCap: false,
  isMarkDeleted: false,
  isCounted: false,
  script: '',
  run: undefined,
};

function takeProperty(paragraph: Paragraph, name: string, attributes: Attributes): void {
  const value = attribute(attributes, 'val') ?? '';
  if (name === 'framePr')
    paragraph.isDropCap = /^(?:drop|margin)$/.test(attribute(attributes, 'dropCap') ?? '');
  if (name === 'pStyle') paragraph.style = value;
  if (name === 'numPr' || name === 'listPr') paragraph.isListed = true;
  if (name === 't') paragraph.label = value;
  if (name === 'numId') paragraph.list = value;
  if (name === 'ilvl') paragraph.level = Number(value) || 0;
  if (name === 'del' || name === 'moveFrom') paragraph.isMarkDeleted = true;
  // Level 9 (from 0) means body text.
  if (name === 'outlineLvl' && Number(value) < 9) paragraph.outline = Number(value) + 1;
}

function takeRunProperty(run: RunLook & { style: string }, name: string, attributes: Attributes): void {
  if (name === 'rStyle') run.style = attribute(attributes, 'val') ?? '';
  runLook(run, name, attributes);
}

function lookOf(styles: WordStyles, { run, style }: Paragraph): RunLook {
  const [ofRun, ofParagraph] = [styles.look(run?.style ?? ''), styles.look(style)];
  return {
    script: run?.script ?? ofRun.script ?? ofParagraph.script,
    isHidden: run?.isHidden ?? ofRun.isHidden ?? ofParagraph.isHidden,
    font: run?.font ?? ofRun.font ?? ofParagraph.font,
  };
}

/** Opens the element of a paragraph. The number of a heading is part of the heading. */
function beginParagraph(context: ParagraphContext, paragraph: Paragraph): void {
  const { renderer, styles } = context;
  const level = paragraph.outline ?? styles.headingLevel(paragraph.style);
  const label = paragraph.isCounted ? 'none' : labelOf(context, paragraph);
  const plain = styles.isCode(paragraph.style) ? 'pre' : 'p';
  paragraph.element = level ? `h${Math.min(level, 6)}` : label === 'none' ? plain : 'li';
  const isNumbered = typeof label === 'object';
  renderer.open(paragraph.element, isNumbered && !level ? labelled(label.number) : undefined);
  if (isNumbered && level) renderer.text(`${label.number} `);
}

function labelOf({ styles, numbering }: ParagraphContext, paragraph: Paragraph): Label {
  const { list, level, style, isListed, label } = paragraph;
  const inherited = styles.listPlace(style);
  paragraph.isCounted = true;
  if (/[\p{L}\p{N}]/u.test(label)) return { number: label.trim() };
  if (!isListed && inherited.list === undefined) return 'none';
  return numbering.count(
    { list: list ?? inherited.list, level: level ?? (list === undefined ? inherited.level : undefined) },
    styles.chain(style),
  );
}

/** Runs of one position that follow each other are one superscript. */
function setScript(renderer: HtmlRenderer, paragraph: Paragraph, script: Paragraph['script']): void {
  if (paragraph.script === script) return;
  if (paragraph.script !== '') renderer.close(paragraph.script);
  if (script !== '') renderer.open(script);
  paragraph.script = script;
}
