/** Collects the text of a cell from pieces, some of them raised or lowered. */
import type { CellText, TextRun } from '../../rendering/sheet-table.ts';

export type TextPosition = TextRun['element'];

export type TextCollector = {
  add(text: string, position?: TextPosition): void;
  /** Returns the text since the last call. */
  take(): CellText;
};

export function textCollector(): TextCollector {
  let runs: { pieces: string[]; position: TextPosition }[] = [];
  return {
    add(text, position) {
      const last = runs.at(-1);
      if (last && last.position === position) last.pieces.push(text);
      else runs.push({ pieces: [text], position });
    },
    take() {
      const taken = runs.map(({ pieces, position }): TextRun => {
        const text = pieces.join('');
        return position ? { text, element: position } : { text };
      });
      runs = [];
      const [first] = taken;
      return taken.length > 1 || first?.element ? taken : (first?.text ?? '');
    },
  };
}
