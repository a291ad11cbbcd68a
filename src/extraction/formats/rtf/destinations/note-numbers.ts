/** Counts the footnotes and endnotes of an RTF file. */
import { letterNumber, romanNumber } from '../../../rendering/number-formats.ts';

export type NoteKind = 'footnote' | 'endnote';
export type NoteFormat = 'ar' | 'alc' | 'auc' | 'rlc' | 'ruc';

export type NoteNumbers = {
  setFormat(kind: NoteKind, format: NoteFormat): void;
  setNext(kind: NoteKind, number: number): void;
  countByPage(kind: NoteKind): void;
  openNote(): void;
  closeNote(): void;
  /** The open note is an endnote. */
  isEndnote(): void;
  /** The number of the open note; empty where notes are counted by page, and outside notes. */
  next(): string;
};

/** `ar`: Arabic; `alc` and `auc`: letters; `rlc` and `ruc`: Roman numerals. */
const FORMATS: Record<NoteFormat, (number: number) => string> = {
  ar: String,
  alc: (number) => letterNumber(number, { isRepeated: true }),
  auc: (number) => letterNumber(number, { isRepeated: true }).toUpperCase(),
  rlc: romanNumber,
  ruc: (number) => romanNumber(number).toUpperCase(),
};

type Count = { next: number; format: NoteFormat; isByPage: boolean };
const newCount = (): Count => ({ next: 1, format: 'ar', isByPage: false });

export function noteNumbers(): NoteNumbers {
  const counts = { footnote: newCount(), endnote: newCount() };
  /** The kinds of the open notes. */
  const open: NoteKind[] = [];
  return {
    setFormat(kind, format) {
      counts[kind].format = format;
    },
    setNext(kind, number) {
      counts[kind].next = number;
    },
    countByPage(kind) {
      counts[kind].isByPage = true;
    },
    openNote: () => open.push('footnote'),
    closeNote: () => open.pop(),
    isEndnote() {
      if (open.length > 0) open[open.length - 1] = 'endnote';
    },
    next() {
      const kind = open.at(-1);
      if (!kind) return '';
      const count = counts[kind];
      return count.isByPage ? '' : FORMATS[count.format](count.next++);
    },
  };
}
