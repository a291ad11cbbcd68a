/**
 * Reads web pages that a browser or an Office program saved in one file (RFC 2557): a message whose first part is the
 * page, with pictures, styles and the pages inside it as further parts.
 */
import { type ExtractedText, isBlank } from '../../../indexing/split/extracted-text.ts';
import { scanMarkdown } from '../../../indexing/split/markdown.ts';
import { decodeText } from '../../decode-text.ts';
import type { ExtractedFile } from '../../extracted-file.ts';
import { requireShort } from '../../extraction-error.ts';
import { extractHtml } from '../html.ts';
import { joinParts } from '../parts/join-parts.ts';
import { parseMessage } from './eml.ts';
import type { MimePart } from './mime-parts.ts';

/** @throws FILE_TOO_COMPLEX */
export function extractMhtml(bytes: Uint8Array): ExtractedFile {
  const message = parseMessage(bytes);
  const pages = partsOf(message, PAGE);
  const texts = pages.length > 0 ? pages.map(pageText) : partsOf(message, /^text\/plain$/).map(plainText);
  const joiner = joinParts();
  for (const text of texts) if (!isBlank(text.text)) joiner.add(text);
  return { extracted: joiner.finish(), warnings: [] };
}

const PAGE = /^(?:text\/html|application\/xhtml\+xml)$/;

/** The parts of a type in the order of the file: the page, then those in its frames. */
const partsOf = (part: MimePart, type: RegExp): MimePart[] =>
  part.parts.length > 0
    ? part.parts.flatMap((each) => partsOf(each, type))
    : type.test(part.type)
      ? [part]
      : [];

const pageText = ({ bytes, parameters }: MimePart): ExtractedText =>
  extractHtml(decodeText(bytes, { markup: 'html', charset: parameters.charset }));

const plainText = ({ bytes, parameters }: MimePart): ExtractedText =>
  scanMarkdown(requireShort(decodeText(bytes, { charset: parameters.charset })));
