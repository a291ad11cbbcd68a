/** Lays out the paragraphs and tables of an RTF document. The file marks where they end, not where they begin. */
import { DATA_TABLE, type HtmlRenderer } from '../../rendering/html-renderer.ts';

export type RtfBody = {
  text(text: string): void;
  /** Takes a control word. Ignores words that neither end nor describe anything. */
  control(name: string, parameter: number | undefined): void;
  /** Declares a paragraph style. A style named `heading 2` or `title` makes its paragraphs headings. */
  setStyle(number: number, name: string): void;
  end(): void;
};

type State = {
  paragraph: string | undefined;
  cell: string | undefined;
  isRowOpen: boolean;
  isTableOpen: boolean;
  isInTable: boolean;
  isHeaderRow: boolean;
  level: number | undefined;
};

export function rtfBody(renderer: HtmlRenderer): RtfBody {
  const levels = new Map<number, number>();
  const state: State = {
    paragraph: undefined,
    cell: undefined,
    isRowOpen: false,
    isTableOpen: false,
    isInTable: false,
    isHeaderRow: false,
    level: undefined,
  };
  return {
    text(text) {
      beginText(renderer, state);
      renderer.text(text);
    },
    control(name, parameter) {
      layOut(renderer, state, name);
      describe(state, levels, { name, parameter });
    },
    setStyle(number, name) {
      const level = /^\s*heading (\d)/i.exec(name)?.[1] ?? (/^\s*title\b/i.test(name) ? 1 : undefined);
      if (level !== undefined) levels.set(number, Number(level));
    },
    end: () => endTable(renderer, state),
  };
}

/** Control words that write or end something. */
function layOut(renderer: HtmlRenderer, state: State, name: string): void {
  if (name === 'par' || name === 'sect' || name === 'page') endParagraph(renderer, state);
  if (name === 'line' || name === 'nestrow') renderer.open('br');
  if (name === 'tab' || name === 'nestcell') renderer.text(' ');
  if (name === 'cell') endCell(renderer, state);
  if (name === 'row') endRow(renderer, state);
}

type Control = { name: string; parameter: number | undefined };

/** Control words that describe the next paragraph or row. */
function describe(state: State, levels: ReadonlyMap<number, number>, { name, parameter }: Control): void {
  if (name === 'trowd') state.isHeaderRow = false;
  if (name === 'trhdr') state.isHeaderRow = true;
  if (name === 'intbl') state.isInTable = true;
  if (name === 'pard') Object.assign(state, { isInTable: false, level: undefined });
  if (name === 's') state.level = levels.get(parameter ?? -1);
  // Level 9 (from 0) means body text.
  if (name === 'outlinelevel' && parameter !== undefined && parameter >= 0 && parameter < 9)
    state.level = parameter + 1;
}

/** Opens the elements in which the next character stands. */
function beginText(renderer: HtmlRenderer, state: State): void {
  if (state.isInTable) beginCell(renderer, state);
  else if (state.isTableOpen) endTable(renderer, state);
  if (state.paragraph !== undefined) return;
  state.paragraph = state.level ? `h${Math.min(state.level, 6)}` : 'p';
  renderer.open(state.paragraph);
}

function beginCell(renderer: HtmlRenderer, state: State): void {
  if (!state.isTableOpen) renderer.open('table', DATA_TABLE);
  state.isTableOpen = true;
  if (!state.isRowOpen) renderer.open('tr');
  state.isRowOpen = true;
  if (state.cell !== undefined) return;
  state.cell = state.isHeaderRow ? 'th' : 'td';
  renderer.open(state.cell);
}

function endParagraph(renderer: HtmlRenderer, state: State): void {
  if (state.paragraph !== undefined) renderer.close(state.paragraph);
  state.paragraph = undefined;
}

function endCell(renderer: HtmlRenderer, state: State): void {
  endParagraph(renderer, state);
  beginCell(renderer, state);
  if (state.cell !== undefined) renderer.close(state.cell);
  state.cell = undefined;
}

function endRow(renderer: HtmlRenderer, state: State): void {
  if (state.cell !== undefined) endCell(renderer, state);
  endParagraph(renderer, state);
  if (state.isRowOpen) renderer.close('tr');
  state.isRowOpen = false;
}

function endTable(renderer: HtmlRenderer, state: State): void {
  endRow(renderer, state);
  if (state.isTableOpen) renderer.close('table');
  state.isTableOpen = false;
}
