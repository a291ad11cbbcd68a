/** The result of extracting a file of any format. */
import type { ExtractedText } from '../indexing/split/extracted-text.ts';

/** A file's text, warnings for its owner, and its number of pages where it has pages. */
export type ExtractedFile = { extracted: ExtractedText; warnings: string[]; pageCount?: number };
