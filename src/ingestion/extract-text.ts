/** Makes readable text of a file's bytes, for the types that need no parser of their own process. */
import type { ExtractedText } from '../retrieval/extracted-text.ts';
import { scanMarkdown } from '../retrieval/markdown.ts';
import { decodeText } from './decode-text.ts';
import type { FileType } from './detect-type.ts';
import { extractHtml } from './extract-html.ts';

/** The types that `extractText` reads. */
export type ExtractableType = 'html' | 'md' | 'txt';

const EXTRACTABLE: ReadonlySet<FileType> = new Set<ExtractableType>(['html', 'md', 'txt']);

export function isExtractable(type: FileType): type is ExtractableType {
  return EXTRACTABLE.has(type);
}

/**
 * A file's text with its structure. Plain text is read as Markdown: headings and code fences are common in it.
 * Never throws; the text is blank (`isBlank`) when the file holds none.
 */
export function extractText(bytes: Uint8Array, type: ExtractableType): ExtractedText {
  if (type === 'html') return extractHtml(decodeText(bytes, { markup: 'html' }));
  return scanMarkdown(decodeText(bytes));
}
