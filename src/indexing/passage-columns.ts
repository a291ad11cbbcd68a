/** The columns in which analysed passages are sent to PostgreSQL. */

import type { Language } from '../analysis/language.ts';
import {
  type BinaryArray,
  createBinaryArray,
  elementTypes,
} from '../database/values/postgres-binary-insides.ts';
import { HEADING_MAX_LENGTH } from './split/markdown.ts';
import type { Passage } from './split/passages.ts';

/**
 * Passages in order, as one binary array for each column (see postgres-binary-insides.ts). The names are the columns of
 * `passages`, `passage_lexemes` and `passage_vectors`. Offsets count code points of the document's text. `headings` is
 * JSON text, and `later_starts`, '' for none. `length` is the
 * size of `content` in letters (`sizeOf`). `text` is the ordinal of the passage's text among those that are analysed
 * together, from 1. `vector` is empty where no word vectors are in use.
 */
export type PassageColumns = Record<
  | 'text'
  | 'position'
  | 'content'
  | 'start_offset'
  | 'end_offset'
  | 'page'
  | 'time_ms'
  | 'later_starts'
  | 'headings'
  | 'language'
  | 'length'
  | 'lexemes'
  | 'vector',
  Uint8Array
>;

/** The columns while passages are added. */
export type UnfinishedColumns = Record<keyof PassageColumns, BinaryArray>;

export const createPassageColumns = (): UnfinishedColumns => ({
  text: createBinaryArray(elementTypes.integer),
  position: createBinaryArray(elementTypes.integer),
  content: createBinaryArray(elementTypes.text),
  start_offset: createBinaryArray(elementTypes.integer),
  end_offset: createBinaryArray(elementTypes.integer),
  page: createBinaryArray(elementTypes.integer),
  time_ms: createBinaryArray(elementTypes.integer),
  later_starts: createBinaryArray(elementTypes.text),
  headings: createBinaryArray(elementTypes.text),
  language: createBinaryArray(elementTypes.text),
  length: createBinaryArray(elementTypes.integer),
  lexemes: createBinaryArray(elementTypes.tsvector),
  vector: createBinaryArray(elementTypes.varbit),
});

type PassageRow = { text: number; position: number; passage: Passage; language: Language; length: number };

/** Adds a passage to all columns but `lexemes` and `vector`, which the postings write. */
export function addPassage(
  columns: UnfinishedColumns,
  { text, position, passage, language, length }: PassageRow,
): void {
  columns.text.addInteger(text);
  columns.position.addInteger(position);
  columns.content.addText(passage.text);
  columns.start_offset.addInteger(passage.start);
  columns.end_offset.addInteger(passage.end);
  columns.page.addInteger(passage.page ?? null);
  columns.time_ms.addInteger(passage.timeMs ?? null);
  columns.later_starts.addText(passage.later ? JSON.stringify(passage.later) : '');
  columns.headings.addText(JSON.stringify(headingsOf(passage)));
  columns.language.addText(language);
  columns.length.addInteger(length);
}

/** The headings above a passage. If it begins inside a table with a short header row, that row comes last. */
function headingsOf({ headings, tableHeader = '' }: Passage): string[] {
  return tableHeader === '' || tableHeader.length > HEADING_MAX_LENGTH
    ? headings
    : [...headings, tableHeader];
}

export const finishColumns = (columns: UnfinishedColumns): PassageColumns => ({
  text: columns.text.toBuffer(),
  position: columns.position.toBuffer(),
  content: columns.content.toBuffer(),
  start_offset: columns.start_offset.toBuffer(),
  end_offset: columns.end_offset.toBuffer(),
  page: columns.page.toBuffer(),
  time_ms: columns.time_ms.toBuffer(),
  later_starts: columns.later_starts.toBuffer(),
  headings: columns.headings.toBuffer(),
  language: columns.language.toBuffer(),
  length: columns.length.toBuffer(),
  lexemes: columns.lexemes.toBuffer(),
  vector: columns.vector.toBuffer(),
});
