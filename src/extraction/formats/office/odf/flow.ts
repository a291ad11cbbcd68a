/** Writes the paragraphs of an OpenDocument file, with what is anchored in them: notes, comments, frames. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import type { RenderedEvents } from '../../../rendering/repeated-blocks.ts';
import { type TextPosition, textRuns } from '../../../rendering/text-runs.ts';
import { isSymbolFont, symbolOf } from '../../../symbol-fonts.ts';

export type Flow = {
  /** Opens a paragraph, heading or list entry. `label` precedes its first text. */
  openParagraph(
    element: string,
    options: { attributes?: Attributes | undefined; label?: string; isHidden?: boolean },
  ): void;
  closeParagraph(element: string): void;
  /** Opens a table or a part of it. */
  openBlock(element: string, attributes?: Attributes): void;
  closeBlock(element: string): void;
  /** Writes a block by the events of the renderer. */
  writeBlock(write: (target: RenderedEvents) => void): void;
  /** Text counts in paragraphs only: elsewhere white space is the file's layout. */
  write(text: string): void;
  breakLine(): void;
  openSpan(look: SpanLook): void;
  closeSpan(): void;
  /** Opens what stands in a sentence without being a part of it. */
  openNote(): void;
  closeNote(): void;
  /** Opens a frame. In a paragraph it becomes a note as soon as it holds a block: an equation does not. */
  openFrame(): void;
  closeFrame(): void;
  /** Writes an equation, in its sentence where it stands in one. */
  writeEquation(equation: string): void;
  /** Whether the innermost frame holds an equation, which its description would repeat. */
  isEquationFrame(): boolean;
  /** Sets the label of the open note, which precedes the text of its first paragraph. */
  labelNote(label: string): void;
  /** Replaces the label of the open paragraph. */
  relabel(label: string): void;
  isInParagraph(): boolean;
  /** Whether text is not shown here, by the style of the paragraph, or of the span in it. */
  isHidden(): boolean;
  /** Drops the rest of the open paragraph. */
  hideParagraph(): void;
  /** Gives the text to `done` instead of writing it, until the returned function is called. */
  capture(done: (text: string) => void): () => void;
  /** Sends all that follows to another target, until the returned function is called. */
  divert(target: RenderedEvents): () => void;
};

/** What is undefined is as around the span. */
export type SpanLook = {
  position: TextPosition | 'baseline' | undefined;
  font: string | undefined;
  /** False: the span is shown, although its paragraph is hidden. */
  isHidden?: boolean | undefined;
};

/** What is open in the body, or in the innermost note. */
type Level = { paragraphs: number; isHidden: boolean; spans: SpanLook[] };

type Frame = { state: 'waiting' | 'note' | 'plain'; hasEquation: boolean };

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
  const frames: Frame[] = [];
  let captured: string[] | undefined;

  const noteElement = () => (levels.length <= NOTE_DEPTH_MAX ? 'note' : 'div');
  const isInParagraph = () => level().paragraphs > 0;
  const isHidden = () =>
    level().spans.findLast((span) => span.isHidden !== undefined)?.isHidden ?? level().isHidden;
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
    const waiting = frames.find(({ state }) => state === 'waiting');
    runs.end();
    if (!waiting) return;
    waiting.state = 'note';
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
  const openParagraph: Flow['openParagraph'] = (
    element,
    { attributes, label = '', isHidden: hides = false },
  ) => {
    openBlock(element, attributes);
    level().paragraphs++;
    if (hides) level().isHidden = true;
    labels.open(label);
  };
  const closeParagraph = (element: string) => {
    labels.close();
    level().paragraphs--;
    level().isHidden = false;
    closeBlock(element);
  };
  const write = (text: string) => {
    if (captured) captured.push(text);
    else if (isInParagraph() && !isHidden()) {
      if (/\S/.test(text)) labels.settle(runs.write);
      const { position, font } = lookOf(level().spans);
      runs.write(isSymbolFont(font) ? shownSymbols(font, text) : text, position);
    }
  };
  return {
    openParagraph,
    closeParagraph,
    openBlock,
    closeBlock,
    writeBlock(writeEvents) {
      settleFrame();
      writeEvents(out);
    },
    write,
    breakLine() {
      runs.end();
      if (isInParagraph()) out.open('br');
    },
    openSpan: (look) => level().spans.push(look),
    closeSpan: () => level().spans.pop(),
    openNote,
    closeNote,
    openFrame() {
      const isOutermost = isInParagraph() && !frames.some(({ state }) => state === 'waiting');
      frames.push({ state: isOutermost ? 'waiting' : 'plain', hasEquation: false });
    },
    closeFrame() {
      if (frames.pop()?.state === 'note') closeNote();
    },
    writeEquation(equation) {
      const frame = frames.at(-1);
      if (frame) frame.hasEquation = true;
      if (isInParagraph()) return write(equation);
      openParagraph('p', {});
      write(equation);
      closeParagraph('p');
    },
    isEquationFrame: () => frames.at(-1)?.hasEquation ?? false,
    labelNote: labels.setFirst,
    relabel: labels.replace,
    isInParagraph,
    isHidden,
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

function lookOf(spans: readonly SpanLook[]): { position: TextPosition | undefined; font: string } {
  const position = spans.findLast((span) => span.position !== undefined)?.position;
  const font = spans.findLast((span) => span.font !== undefined)?.font ?? '';
  return { position: position === 'baseline' ? undefined : position, font };
}

/** Symbols have the codes of a private area. Programs that convert files give their font to ordinary letters too. */
const shownSymbols = (font: string, text: string): string =>
  text.replace(/[\uf000-\uf0ff]/g, (symbol) => symbolOf(font, symbol.charCodeAt(0)));

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
