/** Decodes the characters of an RTF file. */
import type { RtfFonts } from './fonts.ts';
import type { Group } from './groups.ts';

/** Control words and symbols that name a character. */
export const CHARACTERS = new Map([
  ['emdash', '—'],
  ['endash', '–'],
  ['emspace', ' '],
  ['enspace', ' '],
  ['qmspace', ' '],
  ['tab', ' '],
  ['bullet', '•'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
  ['~', '\u00a0'],
  ['_', '\u2011'],
  ['\\', '\\'],
  ['{', '{'],
  ['}', '}'],
  ['\t', ' '],
]);

export type Characters = {
  /** Takes a UTF-16 unit, possibly as a negative number. The bytes after it may be its fallback. */
  writeUnit(group: Group, unit: number): void;
  addBytes(bytes: string): void;
  endBytes(group: Group): void;
};

/** `write` takes decoded text. */
export function characterDecoder(fonts: RtfFonts, write: (group: Group, text: string) => void): Characters {
  let fallbackLeft = 0;
  /** Bytes that are not decoded yet: a character may continue in the next token. */
  let undecoded = '';
  return {
    writeUnit(group, unit) {
      write(group, fonts.characterOf(group, unit & 0xffff));
      fallbackLeft = group.fallbackLength;
    },
    addBytes(bytes) {
      const skipped = Math.min(fallbackLeft, bytes.length);
      fallbackLeft -= skipped;
      undecoded += bytes.slice(skipped);
    },
    endBytes(group) {
      fallbackLeft = 0;
      if (undecoded === '') return;
      write(group, fonts.decode(group, undecoded));
      undecoded = '';
    },
  };
}
