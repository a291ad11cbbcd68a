/** Writes runs of text, of which some are set higher or lower than the line. */
import type { RenderedEvents } from './repeated-blocks.ts';

/** The HTML element of text that is set higher or lower. */
export type TextPosition = 'sup' | 'sub';

export type TextRuns = {
  write(text: string, position: TextPosition | undefined): void;
  /** Ends the run: what follows is no text. */
  end(): void;
};

/** Programs cut one superscript into several runs: `12` into `1` and `2`. Such runs become one element. */
export function textRuns({ open, close, text }: RenderedEvents): TextRuns {
  let current: TextPosition | undefined;
  const move = (position: TextPosition | undefined) => {
    if (position === current) return;
    if (current) close(current);
    if (position) open(position);
    current = position;
  };
  return {
    write(written, position) {
      if (written === '') return;
      move(position);
      text(written);
    },
    end: () => move(undefined),
  };
}
