/** From an uploaded file's bytes to its readable text, or the reason why there is none. Runs in a worker thread. */
import type { DocumentError } from '../../generated/types.gen.ts';
import { type ExtractedText, isBlank } from '../retrieval/extracted-text.ts';
import type { ReadFacts } from '../storage/documents.ts';
import { detectType } from './detect-type.ts';
import { extractText, isExtractable } from './extract-text.ts';

export type UploadedFile = { fileName: string; bytes: Uint8Array };

/** What the file is, and its text or what is wrong with it. */
export type Extraction = ReadFacts & ({ extracted: ExtractedText } | { failure: DocumentError });

/** Reads a file; what is wrong with it is told, not thrown. */
export function extractFile({ fileName, bytes }: UploadedFile): Extraction {
  const type = detectType(bytes, fileName) ?? 'unknown';
  if (type === 'unknown' || !isExtractable(type)) {
    const message = `Files of type ${type} can not be read; html, md and txt can.`;
    return { type, failure: { code: 'UNSUPPORTED_FILE_TYPE', message } };
  }
  const extracted = extractText(bytes, type);
  if (!isBlank(extracted.text)) return { type, extracted };
  return { type, failure: { code: 'NO_TEXT_EXTRACTED', message: 'The file holds no readable text.' } };
}
