/** Reads the headers of messages and their parts (RFC 5322), their encoded words and parameters (RFC 2047, 2231). */
import { decodeText } from '../../decode-text.ts';

export type Header = { key: string; value: string };

/** A line that begins with a blank goes on with the header before. Names come in lower case. */
export function parseHeaders(head: string): Header[] {
  return head
    .replace(/\n(?=[ \t])/g, '')
    .split('\n')
    .flatMap((line) => {
      const colon = line.indexOf(':');
      const key = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
      return key === '' ? [] : [{ key, value: line.slice(colon + 1).trim() }];
    });
}

/** `=?utf-8?q?Caf=C3=A9?=`; the encoding may be followed by a language. */
const WORD = /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([qb])\?([^?]*)\?=/gi;

/**
 * Decodes the words of a header. Blanks between two of them are not text, and a character may be split between them.
 */
export function decodeWords(value: string): string {
  const decoded: string[] = [];
  let pending: { charset: string; bytes: Buffer[] } | undefined;
  let end = 0;
  const settle = (): void => {
    if (pending) decoded.push(decodeText(Buffer.concat(pending.bytes), { charset: pending.charset }));
    pending = undefined;
  };
  for (const { index, 0: word, 1: charset = '', 2: encoding = '', 3: text = '' } of value.matchAll(WORD)) {
    const between = value.slice(end, index);
    if (!pending || pending.charset !== charset || between.trim() !== '') settle();
    if (between.trim() !== '' || end === 0) decoded.push(between);
    pending ??= { charset, bytes: [] };
    pending.bytes.push(wordBytes(encoding, text));
    end = index + word.length;
  }
  settle();
  return decoded.join('') + value.slice(end);
}

const wordBytes = (encoding: string, text: string): Buffer =>
  encoding.toLowerCase() === 'b'
    ? Buffer.from(text, 'base64')
    : decodeEscapes(Buffer.from(text.replaceAll('_', ' ')), EQUALS);

const EQUALS = 0x3d;
const PERCENT = 0x25;

/** `=C3` or `%C3` → the byte. Other characters stay. */
export function decodeEscapes(bytes: Buffer, sign: number): Buffer {
  const decoded = Buffer.alloc(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const code = byte === sign ? hexPair(bytes, at + 1) : undefined;
    decoded[length++] = code ?? byte;
    if (code !== undefined) at += 2;
  }
  return decoded.subarray(0, length);
}

export function hexPair(bytes: Buffer, at: number): number | undefined {
  const [high, low] = [hexDigit(bytes[at]), hexDigit(bytes[at + 1])];
  return high === undefined || low === undefined ? undefined : 16 * high + low;
}

function hexDigit(byte = 0): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

/** `value` in lower case; `parameters` by their names in lower case, decoded. */
export type Structured = { value: string; parameters: Record<string, string> };

/** `; name="plan.pdf"`. Without quotes a value goes up to the next semicolon, since programs write blanks in names. */
const PARAMETER = /\s*;\s*(?:([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;]*)))?[^;]*/y;

export function parseStructured(header: string): Structured {
  const value = /^[^;]*/.exec(header)?.[0] ?? '';
  const found = new Map<string, string>();
  PARAMETER.lastIndex = value.length;
  for (let match = PARAMETER.exec(header); match; match = PARAMETER.exec(header)) {
    const [, name = '', quoted, plain = ''] = match;
    const key = name.toLowerCase();
    const content = quoted === undefined ? plain.trim() : quoted.replace(/\\(.)/g, '$1');
    if (key !== '' && !found.has(key)) found.set(key, content);
  }
  const type = value.replace(/\(.*/, '').trim().toLowerCase();
  return { value: type, parameters: joinPieces(found) };
}

/** `filename*0*=utf-8''pl%C3%A4; filename*1=".pdf"` → `filename`. A star at the end: that piece has escapes. */
function joinPieces(found: ReadonlyMap<string, string>): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null);
  const pieces = new Map<string, { number: number; hasEscapes: boolean; text: string }[]>();
  for (const [key, text] of found) {
    const [, name = '', number = '0', star] = /^([^*]+)\*(?:(\d{1,4})(\*)?)?$/.exec(key) ?? [];
    if (name === '') parameters[key] = decodeWords(text);
    else {
      const ofName = pieces.get(name) ?? [];
      pieces.set(name, ofName);
      ofName.push({ number: Number(number), hasEscapes: star === '*' || !/\d$/.test(key), text });
    }
  }
  for (const [name, ofName] of pieces) {
    const ordered = ofName.sort((a, b) => a.number - b.number);
    const [, charset = ''] = /^([^']*)'[^']*'/.exec(ordered[0]?.text ?? '') ?? [];
    const bytes = ordered.map(({ hasEscapes, text }, i) => {
      const content = i === 0 && hasEscapes ? text.replace(/^[^']*'[^']*'/, '') : text;
      return hasEscapes ? decodeEscapes(Buffer.from(content), PERCENT) : Buffer.from(content);
    });
    parameters[name] = decodeText(Buffer.concat(bytes), { charset });
  }
  return parameters;
}
