/** Writes the characters of a Word document, some of which have a meaning of their own ([MS-DOC] 2.4.1). */
import { type HtmlRenderer, writeElement } from '../../../rendering/html-renderer.ts';
import type { Story } from './doc-file.ts';
import type { Fonts } from './doc-fonts.ts';
import { type Formats, isOn, SPRM } from './doc-formats.ts';
import type { DocText } from './doc-paragraphs.ts';

/** A field begins, its instruction ends and its result begins, it ends. */
const FIELD = { begin: '\x13', result: '\x14', end: '\x15' };

/** Characters that stand for others. The rest of the controls stands for pictures, marks of notes and the like. */
const CHARACTERS = new Map([
  ['\t', ' '],
  ['\x0b', '\n'],
  ['\x0e', '\n'],
  ['\x1e', '\u2011'],
  ['\xa0', ' '],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the file has them
const SPECIAL = /[\x00-\x1f\xa0]/g;

const SUPERSCRIPT = 1;
const SUBSCRIPT = 2;

/** A note at a character: the mark that is shown there, and what writes its content. */
export type NoteAt = { mark: string; write: () => void };

export type RunWriter = { write(story: Story): void };

/** Writes characters that look alike. */
function writeAlike(
  part: string,
  formats: Formats,
  { renderer, fonts }: { renderer: HtmlRenderer; fonts: Fonts },
) {
  const element = elementOf(formats);
  if (element) renderer.open(element);
  for (const [i, line] of fonts.shown(part, formats).split('\n').entries()) {
    if (i > 0) renderer.open('br');
    renderer.text(line);
  }
  if (element) renderer.close(element);
}

/** `noteAt`: the note whose automatic mark stands at a character. Fields may go on from one story to the next. */
export function runWriter(
  text: DocText,
  renderer: HtmlRenderer,
  fonts: Fonts,
  noteAt: (at: number) => NoteAt | undefined,
): RunWriter {
  const fields = fieldFollower();
  const writePart = (part: string, formats: Formats): void => {
    if (part !== '' && fields.isShown()) writeAlike(part, formats, { renderer, fonts });
  };
  const writeStretch = (start: number, written: string, formats: Formats): void => {
    let from = 0;
    let pending = '';
    for (const { index, 0: character } of written.matchAll(SPECIAL)) {
      pending += written.slice(from, index) + (CHARACTERS.get(character) ?? '');
      from = index + 1;
      const note = fields.isShown() ? noteAt(start + index) : undefined;
      if (note === undefined && !isFieldCharacter(character)) continue;
      writePart(pending, formats);
      pending = '';
      if (note) writeNote(note, renderer);
      else fields.follow(character);
    }
    writePart(pending + written.slice(from), formats);
  };
  return {
    write(story) {
      for (const { start, text: written, formats } of text.stretches(story)) {
        const isHidden = isOn(formats, SPRM.deleted) || isOn(formats, SPRM.hidden);
        if (!isHidden) writeStretch(start, written, formats);
        else for (const character of written) fields.follow(character);
      }
    },
  };
}

function elementOf(formats: Formats): 'sup' | 'sub' | undefined {
  const position = formats.get(SPRM.superscript)?.[0];
  if (position === SUPERSCRIPT) return 'sup';
  return position === SUBSCRIPT ? 'sub' : undefined;
}

const isFieldCharacter = (character: string): boolean => character >= FIELD.begin && character <= FIELD.end;

/** Of a field its result is shown, not its instruction. Fields stand in instructions and results of others. */
function fieldFollower() {
  /** Of each open field, whether its instruction is being read. */
  const open: boolean[] = [];
  let instructions = 0;
  const end = () => {
    if (open.pop()) instructions--;
  };
  return {
    isShown: () => instructions === 0,
    follow(character: string): void {
      if (character === FIELD.end) end();
      if (character === FIELD.result && open.length > 0) {
        end();
        open.push(false);
      }
      if (character !== FIELD.begin) return;
      open.push(true);
      instructions++;
    },
  };
}

function writeNote({ mark, write }: NoteAt, renderer: HtmlRenderer): void {
  if (mark !== '') writeElement(renderer, 'sup', mark);
  renderer.open('note');
  write();
  renderer.close('note');
}
