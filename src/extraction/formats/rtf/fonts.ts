/** The fonts of an RTF file, by which its bytes are decoded. */
import { isSymbolFont, symbolOf } from '../../symbol-fonts.ts';
import { codePageEncoding, DEFAULT_ENCODING, fontEncoding } from './encodings.ts';
import type { Destination, Group } from './groups.ts';

export type RtfFonts = {
  /** Takes the font table. */
  destination: Destination;
  /** Handles the control words that set the document's encoding. */
  take(name: string, parameter: number | undefined): boolean;
  decode(group: Group, bytes: string): string;
  /** The character of a code that `\u` gives. */
  characterOf(group: Group, code: number): string;
};

/** The encoding that a control word names; undefined: it names none. */
function encodingBy(name: string, parameter: number): string | undefined {
  if (name === 'cpg') return codePageEncoding(parameter);
  return name === 'fcharset' ? fontEncoding(parameter) : undefined;
}

export function rtfFonts(): RtfFonts {
  const encodings = new Map<number, string>();
  const names = new Map<number, string>();
  let documentEncoding = DEFAULT_ENCODING;
  /** The font's name where it is one of symbols. Names end with a semicolon. */
  const symbolFont = ({ font }: Group): string | undefined => {
    const name = names.get(font)?.replace(/;.*/s, '').trim() ?? '';
    return isSymbolFont(name) ? name : undefined;
  };
  return {
    destination: {
      write: ({ font }, text) => names.set(font, (names.get(font) ?? '') + text),
      word({ font }, name, parameter = 0) {
        const encoding = encodingBy(name, parameter);
        if (encoding !== undefined) encodings.set(font, encoding);
      },
    },
    take(name, parameter = 0) {
      if (name === 'ansicpg') documentEncoding = codePageEncoding(parameter);
      else if (name === 'mac') documentEncoding = 'macintosh';
      else return false;
      return true;
    },
    decode(group, bytes) {
      const symbols = symbolFont(group);
      if (symbols !== undefined) return symbolsOf(symbols, bytes);
      return new TextDecoder(encodings.get(group.font) ?? documentEncoding).decode(
        Buffer.from(bytes, 'latin1'),
      );
    },
    characterOf(group, code) {
      const symbols = isPrivate(code) ? symbolFont(group) : undefined;
      return symbols === undefined ? String.fromCharCode(code) : symbolOf(symbols, code);
    },
  };
}

/** Programs that convert files give the font of a symbol to the words after it too. Symbols stand alone. */
const WORD = /[a-z]{3}/i;

function symbolsOf(font: string, bytes: string): string {
  const areWords = WORD.test(bytes);
  return Array.from(bytes, (byte) =>
    areWords && byte < '\x80' ? byte : symbolOf(font, byte.charCodeAt(0)),
  ).join('');
}

/** Where Windows keeps the characters of symbol fonts. */
const isPrivate = (code: number): boolean => code >= 0xf000 && code <= 0xf0ff;
