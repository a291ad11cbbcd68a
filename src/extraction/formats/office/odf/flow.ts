/** Writes the paragraphs of an OpenDocument file, with what is anchored in them: notes, comments, frames. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import type { RenderedEvents } from '../../../rendering/repeated-blocks.ts';
import { type TextPosition, textRuns } from '../../../rendering/text-runs.ts';

export type Flow = {
  /** Opens a paragraph, heading or list entry. `label` precedes its first text. */
  openParagraph(element: string, options: { attributes?: Attributes | undefined; label?: string }): void;
  closeParagraph(element: string): void;
  /** Opens a table or a part of it. */
  openBlock(element: string, attributes?: Attributes): void;
  closeBlock(element: string): void;
  /** Text counts in paragraphs only: elsewhere white space is the file's layout. */
  write(text: string): void;
  breakLine(): void;
  openSpan(position: TextPosition | 'baseline' | undefined): void;
  closeSpan(): void;
  /** Opens what stands in a sentence without being a part of it. */
  openNote(): void;
  closeNote(): void;
  /** Opens a frame. In a paragraph it becomes a note as soon as it holds a block: an equation does not. */
  openFrame(): void;
  closeFrame(): void;
  /** Sets the label of the open note, which precedes the text of its first paragraph. */
  labelNote(label: string): void;
  /** Replaces the label of the open paragraph. */
  relabel(label: string): void;
  isInParagraph(): boolean;
  /** Drops the rest of the open paragraph. */
  hideParagraph(): void;
  /** Gives the text to `done` instead of writing it, until the returned function is called. */
  capture(done: (text: string) => void): () => void;
  /** Sends all that follows to another target, until the returned function is called. */
  divert(target: RenderedEvents): () => void;
};

/** What is open in the body, or in the innermost note. */
type Level = { paragraphs: number; isHidden: boolean; spans: (TextPosition | 'baseline' | undefined)[] };

/** A note is passed on once for each note around it: deeper ones stand where they are. */
const NOTE_DEPTH_MAX = 8;

export function odfFlow(renderer: RenderedEvents): Flow {
  let target = renderer;
  const out: RenderedEvents = {
    open: (name, attributes) => target.open(name, attributes),
    close: (name) => target.close(name),
    text: (text) => target.text(text),
  };
  const runs = textRuns(out);
  const levels: Level[] = [newLevel()];
  const level = (): Level => levels.at(-1) as Level; // the body's one is never closed
  const labels = pendingLabels();
  const frames: ('waiting' | 'note' | 'plain')[] = [];
  let captured: string[] | undefined;

  const noteElement = () => (levels.length <= NOTE_DEPTH_MAX ? 'note' : 'div');
  const isInParagraph = () => level().paragraphs > 0;
  const openNote = () => {
    labels.settle(runs.write);
    runs.end();
    out.open(noteElement());
    levels.push(newLevel());
  };
  const closeNote = () => {
    labels.clear();
    runs.end();
    levels.pop();
    out.close(noteElement());
  };
  const settleFrame = () => {
    const waiting = frames.lastIndexOf('waiting');
    runs.end();
    if (waiting < 0) return;
    frames[waiting] = 'note';
    openNote();
  };
  const openBlock = (element: string, attributes?: Attributes) => {
    settleFrame();
    out.open(element, attributes);
  };
  const closeBlock = (element: string) => {
    runs.end();
    out.close(element);
  };
  return {
    openParagraph(element, { attributes, label = '' }) {
      openBlock(element, attributes);
      level().paragraphs++;
      labels.open(label);
    },
    closeParagraph(element) {
      labels.close();
      level().paragraphs--;
      level().isHidden = false;
      closeBlock(element);
    },
    openBlock,
    closeBlock,
    write(text) {
      if (captured) captured.push(text);
      else if (isInParagraph() && !level().isHidden) {
        if (/\S/.test(text)) labels.settle(runs.write);
        const position = level().spans.findLast((span) => span !== undefined);
        runs.write(text, position === 'baseline' ? undefined : position);
      }
    },
    breakLine() {
      runs.end();
      if (isInParagraph()) out.open('br');
    },
    openSpan: (position) => level().spans.push(position),
    closeSpan: () => level().spans.pop(),
    openNote,
    closeNote,
    openFrame: () => frames.push(isInParagraph() && !frames.includes('waiting') ? 'waiting' : 'plain'),
    closeFrame() {
      if (frames.pop() === 'note') closeNote();
    },
    labelNote: labels.setFirst,
    relabel: labels.replace,
    isInParagraph,
    hideParagraph() {
      level().isHidden = true;
    },
    capture(done) {
      const outer = captured;
      const pieces: string[] = [];
      captured = pieces;
      return () => {
        captured = outer;
        done(pieces.join(''));
      };
    },
    divert(other) {
      const before = target;
      target = other;
      return () => {
        runs.end();
        target = before;
      };
    },
  };
}

const newLevel = (): Level => ({ paragraphs: 0, isHidden: false, spans: [] });

/** Labels that wait for the first text after them: that of a note, and that of its first paragraph. */
function pendingLabels() {
  let first = '';
  /** Undefined once it is written. */
  let own: string | undefined;
  return {
    open(label: string) {
      own = label;
    },
    close() {
      own = undefined;
    },
    setFirst(label: string) {
      first = label;
    },
    clear() {
      first = '';
    },
    replace(label: string) {
      if (own !== undefined) own = label;
    },
    settle(write: (text: string, position: undefined) => void) {
      if (first !== '') write(`${first} `, undefined);
      if (own) write(`${own} `, undefined);
      first = '';
      own = undefined;
    },
  };
}
