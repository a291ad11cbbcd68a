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

/** Where events go: to the renderer, or for a while to another target. */
function createOut(renderer: RenderedEvents) {
  let target = renderer;
  const out: RenderedEvents = {
    open: (name, attributes) => target.open(name, attributes),
    close: (name) => target.close(name),
    text: (text) => target.text(text),
  };
  const runs = textRuns(out);
  const divert: Flow['divert'] = (other) => {
    const before = target;
    target = other;
    return () => {
      runs.end();
      target = before;
    };
  };
  return { out, runs, labels: pendingLabels(), divert };
}

type Out = ReturnType<typeof createOut>;

/** The body and the open notes in it, of which the innermost is written. */
function createLevels({ out, runs, labels }: Out) {
  const levels: Level[] = [newLevel()];
  const level = (): Level => levels.at(-1) as Level; // the body's one is never closed
  const noteElement = () => (levels.length <= NOTE_DEPTH_MAX ? 'note' : 'div');
  return {
    level,
    isInParagraph: () => level().paragraphs > 0,
    isHidden: () =>
      level().spans.findLast((span) => span.isHidden !== undefined)?.isHidden ?? level().isHidden,
    openNote(): void {
      labels.settle(runs.write);
      runs.end();
      out.open(noteElement());
      levels.push(newLevel());
    },
    closeNote(): void {
      labels.clear();
      runs.end();
      levels.pop();
      out.close(noteElement());
    },
  };
}

type Levels = ReturnType<typeof createLevels>;

/** The open frames. One in a paragraph waits until it holds a block. */
function createFrames({ runs }: Out, { isInParagraph, openNote, closeNote }: Levels) {
  const frames: Frame[] = [];
  const findWaiting = () => frames.find(({ state }) => state === 'waiting');
  return {
    openFrame(): void {
      const isOutermost = isInParagraph() && findWaiting() === undefined;
      frames.push({ state: isOutermost ? 'waiting' : 'plain', hasEquation: false });
    },
    closeFrame(): void {
      if (frames.pop()?.state === 'note') closeNote();
    },
    /** Makes a note of the frame that waits, since a block follows. */
    settle(): void {
      const waiting = findWaiting();
      runs.end();
      if (!waiting) return;
      waiting.state = 'note';
      openNote();
    },
    isEquationFrame: () => frames.at(-1)?.hasEquation ?? false,
    takeEquation(): void {
      const frame = frames.at(-1);
      if (frame) frame.hasEquation = true;
    },
  };
}

/** Writes text in paragraphs, or keeps it while it is captured. */
function createText({ runs, labels }: Out, { level, isInParagraph, isHidden }: Levels) {
  let captured: string[] | undefined;
  return {
    write(text: string): void {
      if (captured) captured.push(text);
      else if (isInParagraph() && !isHidden()) {
        if (/\S/.test(text)) labels.settle(runs.write);
        const { position, font } = lookOf(level().spans);
        runs.write(isSymbolFont(font) ? shownSymbols(font, text) : text, position);
      }
    },
    capture(done: (text: string) => void): () => void {
      const outer = captured;
      const pieces: string[] = [];
      captured = pieces;
      return () => {
        captured = outer;
        done(pieces.join(''));
      };
    },
  };
}

/** Opens and closes blocks. `settle`: what waits for a block becomes a note. */
function createBlocks({ out, runs, labels }: Out, { level }: Levels, settle: () => void) {
  const openBlock: Flow['openBlock'] = (element, attributes) => {
    settle();
    out.open(element, attributes);
  };
  const closeBlock: Flow['closeBlock'] = (element) => {
    runs.end();
    out.close(element);
  };
  const openParagraph: Flow['openParagraph'] = (element, { attributes, label = '', isHidden = false }) => {
    openBlock(element, attributes);
    level().paragraphs++;
    if (isHidden) level().isHidden = true;
    labels.open(label);
  };
  const closeParagraph: Flow['closeParagraph'] = (element) => {
    labels.close();
    level().paragraphs--;
    level().isHidden = false;
    closeBlock(element);
  };
  const writeBlock: Flow['writeBlock'] = (writeEvents) => {
    settle();
    writeEvents(out);
  };
  return { openBlock, closeBlock, openParagraph, closeParagraph, writeBlock };
}

export function odfFlow(renderer: RenderedEvents): Flow {
  const target = createOut(renderer);
  const { out, runs, labels } = target;
  const levels = createLevels(target);
  const { level, isInParagraph, isHidden, openNote, closeNote } = levels;
  const { settle, takeEquation, ...frames } = createFrames(target, levels);
  const blocks = createBlocks(target, levels, settle);
  const text = createText(target, levels);
  return {
    ...blocks,
    ...text,
    ...frames,
    isInParagraph,
    isHidden,
    openNote,
    closeNote,
    labelNote: labels.setFirst,
    relabel: labels.replace,
    divert: target.divert,
    openSpan: (look) => level().spans.push(look),
    closeSpan: () => level().spans.pop(),
    breakLine() {
      runs.end();
      if (isInParagraph()) out.open('br');
    },
    writeEquation(equation) {
      takeEquation();
      if (isInParagraph()) return text.write(equation);
      blocks.openParagraph('p', {});
      text.write(equation);
      blocks.closeParagraph('p');
    },
    hideParagraph() {
      level().isHidden = true;
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

/** Labels that wait for the first text after them: the label of a note, and the label of its first paragraph. */
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
