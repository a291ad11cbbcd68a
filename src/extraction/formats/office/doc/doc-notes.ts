/**
 * Finds the footnotes, endnotes and comments of a Word document, and their places in the text ([MS-DOC] 2.3.2 to
 * 2.3.5).
 */

import { wideText } from '../../../wide-text.ts';
import { listNumber } from '../word/numbering/list-numbers.ts';
import { type DocFile, PART, readPositions, type Stories, type Story } from './doc-file.ts';

/** `story`: its text. `label`: what precedes it. `mark`: what stands in the text; '' where the text has it itself. */
export type DocNote = { story: Story; mark: string; label: string };

/** Bytes that follow the positions of marks: a number, 0 for a mark of the author's own; a comment's author. */
const MARK_LENGTH = 2;
const COMMENT_LENGTH = 30;
const INITIALS_MAX_LENGTH = 9;

/** By the character that they belong to, in the order of the text. */
export function readNotes(file: DocFile, stories: Stories): Map<number, DocNote> {
  const found: [at: number, note: DocNote][] = [
    ...notesOf(file, [PART.footnoteMarks, PART.footnoteTexts], stories.footnotes, String),
    ...notesOf(file, [PART.endnoteMarks, PART.endnoteTexts], stories.endnotes, lowerRoman),
    ...commentsOf(file, stories.comments),
  ];
  return new Map(found.sort(([a], [b]) => a - b));
}

/** Word numbers endnotes i, ii, iii unless told otherwise. */
function lowerRoman(number: number): string {
  return number < 4000 ? listNumber(number, 'lowerRoman') : String(number);
}

function notesOf(
  file: DocFile,
  [marks, texts]: [number, number],
  story: Story,
  markOf: (number: number) => string,
): [number, DocNote][] {
  const plc = file.part(marks);
  const positions = readPositions(plc, MARK_LENGTH);
  const places = textsOf(file.part(texts), story);
  let number = 0;
  return positions.slice(0, places.length).map((at, i) => {
    const isAutomatic = plc.readUInt16LE(4 * positions.length + MARK_LENGTH * i) !== 0;
    const mark = isAutomatic ? markOf(++number) : '';
    return [at, { story: places[i] ?? story, mark, label: mark }];
  });
}

function commentsOf(file: DocFile, story: Story): [number, DocNote][] {
  const plc = file.part(PART.commentMarks);
  const positions = readPositions(plc, COMMENT_LENGTH);
  const places = textsOf(file.part(PART.commentTexts), story);
  return positions.slice(0, places.length).map((at, i) => {
    const start = 4 * positions.length + COMMENT_LENGTH * i;
    const length = Math.min(plc.readUInt16LE(start), INITIALS_MAX_LENGTH);
    const initials = wideText(plc.subarray(start + 2, start + 2 + 2 * length)).trim();
    return [at, { story: places[i] ?? story, mark: '', label: initials === '' ? '' : `${initials}:` }];
  });
}

/** The text of each note. The last two positions end the list. */
function textsOf(plc: Buffer, { start, end }: Story): Story[] {
  const positions = readPositions(plc, 0);
  return positions.slice(0, -2).map((position, i) => ({
    start: Math.min(start + position, end),
    end: Math.min(start + (positions[i + 1] ?? position), end),
  }));
}

/** The first stories are lines between text and notes. Then each section has six: headers and footers of its pages. */
const SEPARATORS = 6;
const HEADERS = new Set([0, 1, 4]);

/** Headers, then footers, of all sections. A header that a section takes over from the section before is empty. */
export function marginStories(file: DocFile, { headers: { start, end } }: Stories): Story[] {
  const positions = readPositions(file.part(PART.headerTexts), 0).slice(0, -1);
  const stories = positions.slice(SEPARATORS, -1).map((position, i) => ({
    isHeader: HEADERS.has(i % 6),
    start: Math.min(start + position, end),
    end: Math.min(start + (positions[SEPARATORS + i + 1] ?? position), end),
  }));
  return [...stories.filter(({ isHeader }) => isHeader), ...stories.filter(({ isHeader }) => !isHeader)];
}
