/**
 * Reads web pages that a browser or an Office program saved in one file (RFC 2557): a message whose first part is the
 * page, with pictures, styles and the pages inside it as further parts.
 */
import { type ExtractedText, isBlank } from '../../../indexing/split/extracted-text.ts';
import { decodeText } from '../../decode-text.ts';
import type { ExtractedFile } from '../../extracted-file.ts';
import { extractHtml } from '../html.ts';
import { joinParts } from '../parts/join-parts.ts';
import { parseMessage } from './eml.ts';
import type { MimePart } from './mime-parts.ts';

/** @throws FILE_TOO_COMPLEX */
export function extractMhtml(bytes: Uint8Array): ExtractedFile {
  const message = parseMessage(bytes);
  const texts = pagesOf(message)
    .map(pageText)
    .filter(({ text }) => !isBlank(text));
  const joiner = joinParts();
  for (const text of texts) joiner.add(text);
  return { extracted: joiner.finish(), warnings: [] };
}

/** The page and the pages in its frames, in the order of the file. */
function pagesOf(part: MimePart): MimePart[] {
  if (part.parts.length > 0) return part.parts.flatMap(pagesOf);
  return /^text\/html$|^application\/xhtml\+xml$/.test(part.type) ? [part] : [];
}

const pageText = ({ bytes, parameters }: MimePart): ExtractedText =>
  extractHtml(decodeText(bytes, { markup: 'html', charset: parameters.charset }));
