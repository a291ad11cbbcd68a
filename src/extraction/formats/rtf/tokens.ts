/** Splits an RTF file into groups, control words and characters. */

/** `bytes`: characters in an encoding that rtf.ts determines, one byte per UTF-16 unit. */
export type RtfToken =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'word'; name: string; parameter: number | undefined }
  | { kind: 'symbol'; character: string }
  | { kind: 'bytes'; bytes: string };

/** A control word with its parameter, a hexadecimal byte, a control symbol, a brace, line ends (not text), or text. */
const TOKEN =
  /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n\0]+|([^\\{}\r\n\0]+)|\\/gy;

/** The tokens of a file in linear time. Binary data (`\bin`) is skipped. */
export function* rtfTokens(file: Uint8Array): Generator<RtfToken> {
  const rtf = Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString('latin1');
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(rtf); match; match = TOKEN.exec(rtf)) {
    const [, name, digits, hexadecimal, symbol, brace, bytes] = match;
    const parameter = digits === undefined ? undefined : Number(digits);
    if (name === 'bin') TOKEN.lastIndex += Math.max(0, parameter ?? 0);
    else if (name !== undefined) yield { kind: 'word', name, parameter };
    else if (hexadecimal !== undefined)
      yield { kind: 'bytes', bytes: String.fromCharCode(Number.parseInt(hexadecimal, 16)) };
    else if (symbol !== undefined) yield { kind: 'symbol', character: symbol };
    else if (brace !== undefined) yield brace === '{' ? { kind: 'open' } : { kind: 'close' };
    else if (bytes !== undefined) yield { kind: 'bytes', bytes };
  }
}
