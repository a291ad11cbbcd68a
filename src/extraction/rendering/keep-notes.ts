/** Moves notes that stand inside a sentence (footnotes, comments, text boxes) behind the block they stand in. */
import { VOID } from '../markup/html-elements.ts';
import type { Attributes } from '../markup/markup-tokens.ts';

type Events = {
  open(name: string, attributes?: Attributes): void;
  close(name: string): void;
  text(text: string): void;
};

/** Elements that a note must not tear. */
const BLOCKS = new Set('p h1 h2 h3 h4 h5 h6 li dt dd pre table caption'.split(' '));

/**
 * Passes events on at once, except those inside an element `note`: they follow when the outermost block around the note
 * has ended, as a paragraph of their own, in the order of the notes. `finish` passes on what still waits.
 */
export function keepNotes({ open, close, text }: Events): Events & { finish(): void } {
  const waiting: (() => void)[][] = [];
  let note: (() => void)[] | undefined;
  /** Open elements inside the note. */
  let depth = 0;
  let blocks = 0;
  let isWriting = false;
  const write = (): void => {
    isWriting = true;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      open('div');
      for (const replay of next) replay();
      close('div');
    }
    isWriting = false;
  };
  const keeper = {
    open(name: string, attributes?: Attributes): void {
      if (note) {
        if (!VOID.has(name)) depth++;
        note.push(() => keeper.open(name, attributes));
      } else if (name === 'note') note = [];
      else {
        if (BLOCKS.has(name)) blocks++;
        open(name, attributes);
      }
    },
    close(name: string): void {
      if (note && depth > 0) {
        depth--;
        note.push(() => keeper.close(name));
        return;
      }
      if (note) {
        waiting.push(note);
        note = undefined;
      } else {
        if (BLOCKS.has(name)) blocks--;
        close(name);
      }
      if (blocks === 0 && !isWriting) write();
    },
    text(written: string): void {
      if (note) note.push(() => keeper.text(written));
      else text(written);
    },
    finish() {
      if (note) waiting.push(note);
      note = undefined;
      write();
    },
  };
  return keeper;
}
