/** Turns the bytes of a text file into a string. */

/** Bytes of an HTML file in which its declared encoding is looked for (the standard says 1,024; pages exceed it). */
const DECLARATION_MAX_OFFSET = 16_384;
const DECLARATION = /<meta[^>]{0,1000}?charset\s*=\s*["']?\s*([\w.:-]+)/i;
/** Share of a text's non-ASCII characters that may be damaged UTF-8; above it the text is no UTF-8 at all. */
const DAMAGED_MAX_SHARE = 0.1;

/**
 * A text file's characters: by its byte order mark, else by what an HTML page declares, else UTF-8, else
 * windows-1252. Line ends become `\n`, NUL becomes U+FFFD (as HTML and CommonMark prescribe; PostgreSQL stores
 * none). Never throws, and the result is well formed.
 */
export function decodeText(bytes: Uint8Array, { isHtml = false }: { isHtml?: boolean } = {}): string {
  const text =
    byMark(bytes) ??
    (isHtml ? byDeclaration(bytes) : undefined) ??
    asUtf8(bytes) ??
    decode(bytes, 'windows-1252');
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');
}

function byMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return decode(bytes, 'utf-8');
  if (first === 0xff && second === 0xfe) return decode(bytes, 'utf-16le');
  if (first === 0xfe && second === 0xff) return decode(bytes, 'utf-16be');
  return undefined;
}

function byDeclaration(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, DECLARATION_MAX_OFFSET)).toString('latin1');
  const label = DECLARATION.exec(head)?.[1];
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

function decode(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes);
}
