/** The result of extracting a file of any format. */
import type { ExtractedText } from '../indexing/split/extracted-text.ts';

/** What a part of a file costs its reader although the rest of it was read. */
export type FileWarningCode =
  | 'PAGES_WITHOUT_TEXT'
  | 'PAGES_NOT_READ'
  | 'TEXT_UNRELIABLE'
  | 'FILE_CUT_OFF'
  | 'PARTS_NOT_READ'
  | 'LIMIT_REACHED';

/** `message`: a sentence for the file's owner that names what was not read, and where. */
export type FileWarning = { code: FileWarningCode; message: string };

/** A file's text, warnings for its owner, and its number of pages where it has pages. */
export type ExtractedFile = { extracted: ExtractedText; warnings: FileWarning[]; pageCount?: number };
