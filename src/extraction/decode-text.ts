/** Turns the bytes of a text file into a string. */
import { detectEncoding, detectUtf16, withoutZeros } from './detect-encoding.ts';

/**
 * The declared encoding of an HTML file is looked for in this many bytes (the standard says 1,024; pages exceed it).
 */
const DECLARATION_MAX_OFFSET = 16_384;
const XML_DECLARATION = /^\s*<\?xml[^>]{0,1000}?encoding\s*=\s*["']([\w.:-]+)/i;
const META_ELEMENT = /<meta[^>]{0,1000}?charset\s*=\s*["']?\s*([\w.:-]+)/i;
/** The first that matches counts. XHTML may declare its encoding in both ways. */
const DECLARATIONS = { html: [XML_DECLARATION, META_ELEMENT], xml: [XML_DECLARATION] };
/** If more than this share of a text's non-ASCII characters is damaged UTF-8, the text is not UTF-8. */
const DAMAGED_MAX_SHARE = 0.1;

/** The markup in which a file may declare its encoding. */
export type Markup = keyof typeof DECLARATIONS;

/** `charset`: the encoding that stands elsewhere, as in a mail's headers; it counts like one that markup declares. */
type DecodeOptions = { markup?: Markup; charset?: string | undefined };

/**
 * Bytes → characters. The encoding comes from the byte order mark, else from what the markup declares.
 * Without either it is UTF-8, else the encoding that the bytes look like.
 * Line ends become `\n`. NUL is dropped, so that the words around it stay whole (and PostgreSQL stores none).
 * Never throws. The result is well-formed UTF-16.
 */
export function decodeText(bytes: Uint8Array, options: DecodeOptions = {}): string {
  const wide = detectUtf16(bytes);
  const text = wide ? decode(bytes, wide) : decodeNarrow(withoutZeros(bytes), options);
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '');
}

function decodeNarrow(bytes: Uint8Array, { markup, charset }: DecodeOptions): string {
  if (hasUtf8ByteOrderMark(bytes)) return decode(bytes, 'utf-8');
  // ISO-2022-JP is also valid UTF-8, so it must be recognised first.
  if (isIso2022Jp(bytes)) return decode(bytes, 'iso-2022-jp');
  return (
    byLabel(bytes, charset) ??
    (markup ? byLabel(bytes, declaredIn(bytes, DECLARATIONS[markup])) : undefined) ??
    asUtf8(bytes) ??
    decode(bytes, detectEncoding(bytes))
  );
}

const hasUtf8ByteOrderMark = ([first, second, third]: Uint8Array): boolean =>
  first === 0xef && second === 0xbb && third === 0xbf;

/** These escape sequences switch ISO-2022-JP to two-byte characters (RFC 1468). */
const SHIFT = '\x1b\\$[@B]';
/** Another one switches back before the line ends. All of it is ASCII. */
const SHIFTED_RUN = `${SHIFT}(?:[!-~]{2})+\x1b[($]`;

/** Whether most shifts are followed by characters and the shift back. One shift alone may occur in any text. */
function isIso2022Jp(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!file.includes('\x1b$') || file.some((byte) => byte >= 0x80)) return false;
  const text = file.toString('latin1');
  const countOf = (pattern: string) => text.match(new RegExp(pattern, 'g'))?.length ?? 0;
  return countOf(SHIFTED_RUN) > countOf(SHIFT) / 2;
}

function declaredIn(bytes: Uint8Array, declarations: RegExp[]): string | undefined {
  const head = latin1(bytes, DECLARATION_MAX_OFFSET);
  return declarations.map((declaration) => declaration.exec(head)?.[1]).find((found) => found);
}

function byLabel(bytes: Uint8Array, label: string | undefined): string | undefined {
  const encoding = label && encodingNamed(label);
  // UTF-8 is tried anyway. A declared UTF-16 is false, because the declaration was found as ASCII.
  if (!encoding || encoding.startsWith('utf-')) return undefined;
  // A page that has non-ASCII characters and is valid UTF-8 is UTF-8, whatever it declares.
  return isNonAsciiUtf8(bytes) ? undefined : decode(bytes, encoding);
}

/** The WHATWG name of an encoding label; undefined for an unknown one. */
function encodingNamed(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

const isNonAsciiUtf8 = (bytes: Uint8Array): boolean =>
  (asValidUtf8(bytes)?.length ?? bytes.length) < bytes.length;

function asValidUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Few errors are damage, many mean another encoding.
 * A valid text may also contain U+FFFD, from an earlier decoding.
 */
function asUtf8(bytes: Uint8Array): string | undefined {
  const valid = asValidUtf8(bytes);
  if (valid !== undefined) return valid;
  const text = decode(bytes, 'utf-8');
  const { damaged, nonAscii } = countNonAscii(text);
  return damaged <= DAMAGED_MAX_SHARE * nonAscii ? text : undefined;
}

/** Counts one by one: 45 MB of Russian have 22 million matches, and an array of them exceeded the memory for a file. */
function countNonAscii(text: string): { damaged: number; nonAscii: number } {
  let [damaged, nonAscii] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) nonAscii++;
    if (unit === 0xfffd) damaged++;
  }
  return { damaged, nonAscii };
}

function latin1(bytes: Uint8Array, length: number): string {
  return Buffer.from(bytes.subarray(0, length)).toString('latin1');
}

function decode(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes);
}
