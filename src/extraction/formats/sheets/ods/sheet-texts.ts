/** Follows the text of an OpenDocument spreadsheet: of cells, of comments, and of shapes that lie on a sheet. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import type { CellText } from '../../../rendering/sheet-table.ts';
import { type TextCollector, type TextPosition, textCollector } from '../cell-text.ts';

export type SheetTexts = {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** Text counts in paragraphs only: elsewhere white space is the file's layout. */
  text(written: string): void;
  /** Begins what has a text of its own: a cell, or a comment or shape in it. */
  begin(): void;
  /** Returns the text of what was begun last; undefined where it has no paragraph. */
  end(): CellText | undefined;
};

type Level = { collector: TextCollector; paragraphs: number; hasParagraph: boolean };

const newLevel = (): Level => ({ collector: textCollector(), paragraphs: 0, hasParagraph: false });

/** Several paragraphs become one line. */
export function sheetTexts(): SheetTexts {
  const positions = new Map<string, TextPosition>();
  const spans: TextPosition[] = [];
  const levels: Level[] = [];
  let style = '';
  const write = (text: string): void => {
    const level = levels.at(-1);
    if (level && level.paragraphs > 0) level.collector.add(text, spans.at(-1));
  };
  const openParagraph = (level: Level): void => {
    level.paragraphs++;
    if (level.hasParagraph) write(' ');
    level.hasParagraph = true;
  };
  return {
    open(name, attributes) {
      const level = levels.at(-1);
      if (name === 'style') style = attribute(attributes, 'name') ?? '';
      if (name === 'text-properties') positions.set(style, positionOf(attributes));
      if (name === 'span')
        spans.push(positions.get(attribute(attributes, 'style-name') ?? '') ?? spans.at(-1));
      if (level && isParagraph(name)) openParagraph(level);
      if (name === 's' || name === 'tab' || name === 'line-break') write(' ');
    },
    close(name) {
      const level = levels.at(-1);
      if (name === 'span') spans.pop();
      if (level && isParagraph(name)) level.paragraphs--;
    },
    text: write,
    begin() {
      levels.push(newLevel());
    },
    end() {
      const level = levels.pop();
      return level?.hasParagraph ? level.collector.take() : undefined;
    },
  };
}

const isParagraph = (name: string): boolean => name === 'p' || name === 'h';

/** `super 58%`, `-33% 58%` (part 3, 20.424). */
function positionOf(attributes: Attributes): TextPosition {
  const position = attribute(attributes, 'text-position') ?? '';
  if (/^super|^[1-9]/.test(position)) return 'sup';
  return /^sub|^-/.test(position) ? 'sub' : undefined;
}
