/** From an uploaded file's bytes to its readable text, or the reason why there is none. Runs in a child process. */
import type { DocumentError, DocumentType } from '../../generated/types.gen.ts';
import { type ExtractedText, isBlank } from '../retrieval/extracted-text.ts';
import { detectType } from './detect-type.ts';
import { extractText, isExtractable } from './extract-text.ts';
import { tooComplex, UnreadableFile } from './extraction-limits.ts';

export type UploadedFile = { fileName: string; bytes: Uint8Array };

/** A file's text, what its owner should know of the reading, and its number of pages where it has pages. */
export type Reading = { extracted: ExtractedText; warnings: string[]; pageCount?: number };

/** What the file is, and its text or what is wrong with it. */
export type Extraction<Text = ExtractedText> = { type: DocumentType } & (
  | (Omit<Reading, 'extracted'> & { extracted: Text })
  | { failure: DocumentError }
);

/**
 * Reads a file; what is wrong with it is told, not thrown.
 * @throws what no file should provoke: a fault of ours
 */
export async function extractFile({ fileName, bytes }: UploadedFile): Promise<Extraction> {
  const type = detectType(bytes, fileName) ?? 'unknown';
  try {
    const reading = await read(bytes, type);
    if (!isBlank(reading.extracted.text)) return { type, ...reading };
    return { type, failure: { code: 'NO_TEXT_EXTRACTED', message: 'The file holds no readable text.' } };
  } catch (error) {
    const { code, message } = asUnreadable(error);
    return { type, failure: { code, message } };
  }
}

async function read(bytes: Uint8Array, type: DocumentType): Promise<Reading> {
  if (type !== 'unknown' && type !== 'text' && isExtractable(type))
    return { extracted: extractText(bytes, type), warnings: [] };
  throw new UnreadableFile('UNSUPPORTED_FILE_TYPE', `Files of type ${type} can not be read.`);
}

/** What V8 throws at the end of its stack, or where a string or buffer would be larger than it can be. */
const PAST_A_BOUND = /call stack|string length|allocation failed|array (?:buffer )?length/i;

function asUnreadable(error: unknown): UnreadableFile {
  if (error instanceof UnreadableFile) return error;
  if (error instanceof RangeError && PAST_A_BOUND.test(error.message))
    return tooComplex('Reading the file takes more memory than the service gives to one.');
  throw error;
}
