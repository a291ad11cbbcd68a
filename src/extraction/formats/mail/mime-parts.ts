/**
 * Reads a message as the tree of its parts (MIME: RFC 2045, 2046), each with its bytes: which of them are alternatives,
 * which belong to a page, and what encoding they have is the reader's to say.
 *
 * postal-mime returns one text of a message instead, takes parts without an encoding for UTF-8, and needs more than
 * 512 MB of memory for a plain text of 10 MB, since it keeps each line as a piece.
 */
import { decodeText } from '../../decode-text.ts';
import { tooComplex } from '../../extraction-error.ts';
import { INNER_FILES_MAX } from '../../extraction-limits.ts';
import { decodeWords, type Header, hexPair, parseHeaders, parseStructured } from './mime-headers.ts';

/** `type` and `disposition` are in lower case, '' where there is no disposition. */
export type MimePart = {
  type: string;
  parameters: Record<string, string>;
  disposition: string;
  /** '' where it has none. */
  fileName: string;
  /** '' where it has none; with its angle brackets. */
  contentId: string;
  headers: Header[];
  /** Decoded from its transfer encoding. Empty where it consists of parts. */
  bytes: Uint8Array;
  parts: MimePart[];
};

/** Parts in parts deeper than this are not divided. Mails have 5. */
const DEPTH_MAX = 30;

/** Longer headers are cut off. */
const HEADERS_MAX_LENGTH = 2 ** 20;

const LINE_FEED = 10;
const RETURN = 13;
const EQUALS = 0x3d;

/** @throws FILE_TOO_COMPLEX where it has too many parts */
export function readMime(message: Buffer): MimePart {
  let left = INNER_FILES_MAX;
  const read = (part: Buffer, usualType: string, depth: number): MimePart => {
    left--;
    if (left < 0) throw tooComplex(`The mail has more than ${INNER_FILES_MAX} parts.`);
    const { head, body } = divide(part);
    const headers = parseHeaders(decodeText(head.subarray(0, HEADERS_MAX_LENGTH)));
    const header = (name: string) => headers.find(({ key }) => key === name)?.value ?? '';
    const type = parseStructured(header('content-type') || usualType);
    const disposition = parseStructured(header('content-disposition'));
    const { boundary = '' } = type.parameters;
    const isDivided = type.value.startsWith('multipart/') && boundary !== '' && depth < DEPTH_MAX;
    const innerType = type.value === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
    const parts = isDivided ? divideBody(body, boundary) : [];
    return {
      type: type.value,
      parameters: type.parameters,
      disposition: disposition.value,
      fileName: disposition.parameters.filename ?? type.parameters.name ?? '',
      contentId: header('content-id'),
      headers,
      bytes: parts.length > 0 ? new Uint8Array() : decodeBody(body, header('content-transfer-encoding')),
      parts: parts.map((inner) => read(inner, innerType, depth + 1)),
    };
  };
  return read(message, 'text/plain', 0);
}

/** At the first empty line. Some programs write a part without headers, and without the empty line after them. */
function divide(part: Buffer): { head: Buffer; body: Buffer } {
  if (!HEADER_START.test(part.toString('latin1', 0, NAME_MAX_LENGTH)))
    return { head: part.subarray(0, 0), body: part.subarray(emptyLineLength(part)) };
  const ends = ['\n\n', '\n\r\n'].flatMap((end) => {
    const at = part.indexOf(end);
    return at < 0 ? [] : [{ at, after: at + end.length }];
  });
  const [first = { at: part.length, after: part.length }] = ends.sort((a, b) => a.at - b.at);
  return { head: part.subarray(0, first.at), body: part.subarray(first.after) };
}

const HEADER_START = /^[!-9;-~]+[ \t]*:/;
const NAME_MAX_LENGTH = 100;

function emptyLineLength(part: Buffer): number {
  if (part[0] === LINE_FEED) return 1;
  return part[0] === RETURN && part[1] === LINE_FEED ? 2 : 0;
}

/**
 * The parts between the lines `--boundary`, without the line end before each. What follows `--boundary--` is no part.
 */
function divideBody(body: Buffer, boundary: string): Buffer[] {
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: Buffer[] = [];
  let start: number | undefined;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    if (at > 0 && body[at - 1] !== LINE_FEED) continue;
    const lineEnd = body.indexOf(LINE_FEED, at);
    const rest = body.toString(
      'latin1',
      at + delimiter.length,
      Math.min(lineEnd < 0 ? body.length : lineEnd, at + delimiter.length + REST_MAX),
    );
    if (!/^(?:--)?\s*$/.test(rest)) continue;
    if (start !== undefined) parts.push(withoutLineEnd(body.subarray(start, at)));
    start = lineEnd < 0 ? body.length : lineEnd + 1;
    if (rest.startsWith('--')) return parts;
  }
  if (start !== undefined) parts.push(body.subarray(start)); // cut off
  return parts;
}

/** Blanks after a boundary are looked through up to here. */
const REST_MAX = 80;

function withoutLineEnd(part: Buffer): Buffer {
  const end = part.length - 1;
  if (part[end] !== LINE_FEED) return part;
  return part.subarray(0, part[end - 1] === RETURN ? end - 1 : end);
}

function decodeBody(body: Buffer, encoding: string): Buffer {
  if (/base64/i.test(encoding)) return Buffer.from(body.toString('latin1'), 'base64');
  return /quoted-printable/i.test(encoding) ? decodeQuotedPrintable(body) : body;
}

/** `=C3` → the byte; an equals sign at the end of a line joins it with the next one (RFC 2045, 6.7). */
export function decodeQuotedPrintable(body: Buffer): Buffer {
  const decoded = Buffer.alloc(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] ?? 0;
    const code = byte === EQUALS ? hexPair(body, at + 1) : undefined;
    const lineEnd = byte === EQUALS && code === undefined ? softLineEnd(body, at + 1) : undefined;
    if (code !== undefined) at += 2;
    if (lineEnd === undefined) decoded[length++] = code ?? byte;
    else at = lineEnd;
  }
  return decoded.subarray(0, length);
}

/** The offset of the line feed, if only blanks precede it. */
function softLineEnd(body: Buffer, from: number): number | undefined {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x09 || body[at] === RETURN) at++;
  return body[at] === LINE_FEED || at >= body.length ? at : undefined;
}

/** The decoded values of all headers of a name, without line breaks. */
export const valuesOf = ({ headers }: MimePart, name: string): string[] =>
  headers
    .filter(({ key, value }) => key === name && value !== '')
    .map(({ value }) => decodeWords(value).replace(/\s+/g, ' ').trim());
