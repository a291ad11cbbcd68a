/** Turns the bytes of a text file into a string. */
import { detectEncoding, detectUtf16 } from './detect-encoding.ts';

/** Bytes of an HTML file in which its declared encoding is looked for (the standard says 1,024; pages exceed it). */
const DECLARATION_MAX_OFFSET = 16_384;
const DECLARATIONS = {
  html: /<meta[^>]{0,1000}?charset\s*=\s*["']?\s*([\w.:-]+)/i,
  xml: /^\s*<\?xml[^>]{0,1000}?encoding\s*=\s*["']([\w.:-]+)/i,
};
/** Share of a text's non-ASCII characters that may be damaged UTF-8; above it the text is no UTF-8 at all. */
const DAMAGED_MAX_SHARE = 0.1;

/** The markup in which a file may declare its encoding. */
export type Markup = keyof typeof DECLARATIONS;

/**
 * A text file's characters: by its byte order mark, else by what its markup declares, else UTF-8, else by what its
 * bytes look like. Line ends become `\n`, NUL becomes U+FFFD (as HTML and CommonMark prescribe; PostgreSQL stores
 * none). Never throws, and the result is well formed.
 */
export function decodeText(bytes: Uint8Array, { markup }: { markup?: Markup } = {}): string {
  const text =
    byMark(bytes) ??
    byPattern(bytes) ??
    (markup ? byDeclaration(bytes, DECLARATIONS[markup]) : undefined) ??
    asUtf8(bytes) ??
    decode(bytes, detectEncoding(bytes));
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');
}

function byMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return decode(bytes, 'utf-8');
  if (first === 0xff && second === 0xfe) return decode(bytes, 'utf-16le');
  if (first === 0xfe && second === 0xff) return decode(bytes, 'utf-16be');
  return undefined;
}

/** Encodings that are valid UTF-8 too, so that they must be recognised before it. */
function byPattern(bytes: Uint8Array): string | undefined {
  const wide = detectUtf16(bytes);
  if (wide) return decode(bytes, wide);
  return isIso2022Jp(bytes) ? decode(bytes, 'iso-2022-jp') : undefined;
}

/** ISO-2022-JP switches to two-byte characters by these escape sequences, all in ASCII (RFC 1468). */
function isIso2022Jp(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return ['\x1b$B', '\x1b$@'].some((shift) => file.includes(shift)) && file.every((byte) => byte < 0x80);
}

function byDeclaration(bytes: Uint8Array, declaration: RegExp): string | undefined {
  const label = declaration.exec(latin1(bytes, DECLARATION_MAX_OFFSET))?.[1];
  const encoding = label && encodingNamed(label);
  // Declared UTF-8 is what is tried anyway; declared UTF-16 cannot be: its declaration was read as ASCII.
  if (!encoding || encoding.startsWith('utf-')) return undefined;
  // A page that is valid UTF-8 beyond ASCII is UTF-8, whatever it declares.
  return isUtf8BeyondAscii(bytes) ? undefined : decode(bytes, encoding);
}

/** The WHATWG name of an encoding label; undefined for an unknown one. */
function encodingNamed(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function isUtf8BeyondAscii(bytes: Uint8Array): boolean {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).length < bytes.length;
  } catch {
    return false;
  }
}

function asUtf8(bytes: Uint8Array): string | undefined {
  const text = decode(bytes, 'utf-8');
  const damaged = text.match(/\ufffd/g)?.length ?? 0;
  if (damaged === 0) return text;
  const beyondAscii = text.match(/\P{ASCII}/gu)?.length ?? 0;
  return damaged <= DAMAGED_MAX_SHARE * beyondAscii ? text : undefined;
}

function latin1(bytes: Uint8Array, length: number): string {
  return Buffer.from(bytes.subarray(0, length)).toString('latin1');
}

function decode(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes);
}
