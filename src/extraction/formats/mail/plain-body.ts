/** A mail's plain text as it is read: paragraphs in one line, and without files and cryptography written as text. */

/** A file that was written into the text (uuencode, POSIX.1). */
export type Embedded = { fileName: string; bytes: Uint8Array };

export type PlainBody = { text: string; files: Embedded[]; isEncrypted: boolean };

/** `isEncrypted`: a part of the text was, and is left out. */
export function plainBody(written: string, parameters: Record<string, string>): PlainBody {
  const isFlowed = parameters.format?.toLowerCase() === 'flowed';
  const joined = isFlowed ? unflow(written, parameters.delsp?.toLowerCase() === 'yes') : written;
  const readable = withoutEncrypted(withoutSignature(joined));
  const { text, files } = withoutFiles(readable);
  return { text: text.replace(/^\n+/, '').trimEnd(), files, isEncrypted: joined.includes(ENCRYPTED) };
}

/**
 * Joins the lines of a paragraph (RFC 3676): a line that ends with a blank goes on in the next one, at the same depth
 * of quotation. `deletesSpace`: that blank is not part of the text.
 */
function unflow(text: string, deletesSpace: boolean): string {
  const lines: string[] = [];
  let isOpen = false;
  let openDepth = 0;
  for (const written of text.split('\n')) {
    const [quotes = ''] = /^>*/.exec(written) ?? [];
    const depth = quotes.length;
    const line = written.slice(depth).replace(/^ /, ''); // a blank that protects the line's beginning
    const goesOn = isOpen && depth === openDepth && line !== '-- ';
    isOpen = line.endsWith(' ') && line !== '-- ';
    openDepth = depth;
    const piece = isOpen && deletesSpace ? line.slice(0, -1) : line;
    if (goesOn) lines[lines.length - 1] += piece;
    else lines.push(depth > 0 ? `${quotes} ${piece}` : piece);
  }
  return lines.join('\n');
}

const SIGNED = '-----BEGIN PGP SIGNED MESSAGE-----';
const SIGNATURE = '-----BEGIN PGP SIGNATURE-----';
const SIGNATURE_END = '-----END PGP SIGNATURE-----';

/** Without the lines of a signature around the text (RFC 9580, 7). */
function withoutSignature(text: string): string {
  const start = text.indexOf(SIGNED);
  const signature = start < 0 ? -1 : text.indexOf(SIGNATURE, start);
  if (signature < 0) return text;
  const end = text.indexOf(SIGNATURE_END, signature);
  const headers = text.indexOf('\n\n', start);
  const begin = headers >= 0 && headers < signature ? headers + 2 : start + SIGNED.length;
  const after = end < 0 ? '' : text.slice(end + SIGNATURE_END.length);
  return text.slice(0, start) + text.slice(begin, signature).replace(/^- /gm, '') + after;
}

const ENCRYPTED = '-----BEGIN PGP MESSAGE-----';
const ENCRYPTED_END = '-----END PGP MESSAGE-----';

function withoutEncrypted(text: string): string {
  const start = text.indexOf(ENCRYPTED);
  if (start < 0) return text;
  const end = text.indexOf(ENCRYPTED_END, start);
  return text.slice(0, start) + (end < 0 ? '' : text.slice(end + ENCRYPTED_END.length));
}

const FILE_START = /^begin(?:-base64)? [0-7]{3,4} (\S.*)$/;

/** Takes files out of the text: `begin 644 plan.pdf`, lines of packed bytes, `end`. */
function withoutFiles(text: string): { text: string; files: Embedded[] } {
  if (!/^begin(?:-base64)? [0-7]/m.test(text)) return { text, files: [] };
  const files: Embedded[] = [];
  const kept: string[] = [];
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const name = FILE_START.exec(lines[i] ?? '')?.[1];
    const bytes = name === undefined ? undefined : decodeLines(lines, i);
    if (name === undefined || bytes === undefined) {
      kept.push(lines[i] ?? '');
      continue;
    }
    files.push({ fileName: name.trim(), bytes: bytes.decoded });
    i = bytes.end;
  }
  return { text: kept.join('\n'), files };
}

/** A full line has 45 bytes. A line's first character tells its bytes, every other one has six bits. */
const UU_LINE = /^[ -`]{1,62}\s*$/;
const BASE64_LINE = /^[A-Za-z0-9+/]+=*\s*$/;

/**
 * The bytes of the file that begins in line `start`, and the line that ends it; undefined where the lines are prose.
 */
function decodeLines(lines: string[], start: number): { decoded: Uint8Array; end: number } | undefined {
  const isBase64 = lines[start]?.startsWith('begin-base64') ?? false;
  const pieces: Buffer[] = [];
  for (let end = start + 1; end < lines.length; end++) {
    const line = lines[end] ?? '';
    if (isBase64 ? line.startsWith('====') : line.trim() === 'end')
      return { decoded: Buffer.concat(pieces), end };
    if (line.trim() === '') continue;
    if (!(isBase64 ? BASE64_LINE : UU_LINE).test(line)) return undefined;
    pieces.push(isBase64 ? Buffer.from(line, 'base64') : decodeUuLine(line));
  }
  return pieces.length > 1 ? { decoded: Buffer.concat(pieces), end: lines.length } : undefined; // cut off
}

function decodeUuLine(line: string): Buffer {
  const six = (at: number): number => ((line.charCodeAt(at) || 32) - 32) & 0x3f;
  const length = six(0);
  const bytes = Buffer.alloc(length);
  for (let i = 0, at = 1; i < length; i += 3, at += 4) {
    const group = (six(at) << 18) | (six(at + 1) << 12) | (six(at + 2) << 6) | six(at + 3);
    for (let j = 0; j < 3 && i + j < length; j++) bytes[i + j] = (group >> (16 - 8 * j)) & 0xff;
  }
  return bytes;
}
