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

/** Notes that wait for the end of the block around them, and then are written in their order. */
function createWaiting({ open, close }: Events) {
  const waiting: (() => void)[][] = [];
  let isWriting = false;
  return {
    add: (note: (() => void)[]) => void waiting.push(note),
    /** Does nothing while notes are being written. */
    write(): void {
      if (isWriting) return;
      isWriting = true;
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        open('div');
        for (const replay of next) replay();
        close('div');
      }
      isWriting = false;
    },
  };
}

/**
 * Passes events on at once, except those inside an element `note`: they follow when the outermost block around the note
 * has ended, as a paragraph of their own, in the order of the notes. `finish` passes on what still waits.
 */
export function keepNotes({ open, close, text }: Events): Events & { finish(): void } {
  const waiting = createWaiting({ open, close, text });
  let note: (() => void)[] | undefined;
  /** Open elements inside the note, and open blocks outside of it. */
  let [depth, blocks] = [0, 0];
  const keeper = {
    open(name: string, attributes?: Attributes): void {
      if (note) {
        depth += VOID.has(name) ? 0 : 1;
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
      if (note) note = void waiting.add(note);
      else {
        if (BLOCKS.has(name)) blocks--;
        close(name);
      }
      if (blocks === 0) waiting.write();
    },
    text(written: string): void {
      if (note) note.push(() => keeper.text(written));
      else text(written);
    },
    finish() {
      if (note) note = void waiting.add(note);
      waiting.write();
    },
  };
  return keeper;
}
