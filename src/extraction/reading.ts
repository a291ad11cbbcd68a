/** What a format's reader makes of a file. */
import type { ExtractedText } from '../indexing/split/extracted-text.ts';

/** A file's text, what its owner should know of the reading, and its number of pages where it has pages. */
export type Reading = { extracted: ExtractedText; warnings: string[]; pageCount?: number };
