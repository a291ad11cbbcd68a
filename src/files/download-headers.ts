/** How a download is labelled, so that browsers save the file and never show or run it. */
import contentDisposition from 'content-disposition';
import type { DocumentType } from '../../generated/types.gen.ts';

/** The values of Content-Type and Content-Disposition. */
export type DownloadHeaders = { contentType: string; contentDisposition: string };

/** No program opens it by itself. */
const ANY_BYTES = 'application/octet-stream';

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

/**
 * The media type of each format (IANA's registry; srt has none). Browsers run scripts in HTML, also in mail and saved
 * pages, and in XML such as SVG. The encoding of a text file is unknown, so no type names a charset.
 */
const MEDIA_TYPES: Readonly<Record<DocumentType, string>> = {
  pdf: 'application/pdf',
  docx: `${OPEN_XML}.wordprocessingml.document`,
  pptx: `${OPEN_XML}.presentationml.presentation`,
  xlsx: `${OPEN_XML}.spreadsheetml.sheet`,
  xls: 'application/vnd.ms-excel',
  odt: `${OPEN_DOCUMENT}.text`,
  odp: `${OPEN_DOCUMENT}.presentation`,
  ods: `${OPEN_DOCUMENT}.spreadsheet`,
  rtf: 'application/rtf',
  doc: 'application/msword',
  ppt: 'application/vnd.ms-powerpoint',
  msg: 'application/vnd.ms-outlook',
  zip: 'application/zip',
  epub: 'application/epub+zip',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  srt: 'text/plain',
  vtt: 'text/vtt',
  html: ANY_BYTES,
  xml: ANY_BYTES,
  eml: ANY_BYTES,
  mhtml: ANY_BYTES,
  // One of several formats.
  image: ANY_BYTES,
  unknown: ANY_BYTES,
  text: ANY_BYTES,
};

/**
 * Control characters, separators of paths, and the marks that turn the direction of text: with one after `report`, the
 * name `reportfdp.exe` looks like `reportexe.pdf`.
 */
const MISLEADING = /[\p{Cc}/\\\u202a-\u202e\u2066-\u2069]/gu;
/** What old programs misread: characters beyond ASCII, quotes and escapes (RFC 6266, appendix D). */
const MISREAD = /[^\x20-\x7e]|["%]/gu;

/** The headers for a file of this name and type. The name has a plain form too, for old programs (RFC 6266, 4.3). */
export function toDownloadHeaders(fileName: string, type: DocumentType): DownloadHeaders {
  const name = fileName.replace(MISLEADING, '_');
  return {
    contentType: MEDIA_TYPES[type],
    contentDisposition: contentDisposition(name, { fallback: name.replace(MISREAD, '_') }),
  };
}
