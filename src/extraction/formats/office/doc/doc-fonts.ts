/** Reads the fonts of a Word document, some of which show other characters than the text has ([MS-DOC] 2.9.286). */
import { symbolOf, symbolText } from '../../../symbol-fonts.ts';
import { wideText } from '../../../wide-text.ts';
import { type DocFile, PART } from './doc-file.ts';
import { type Formats, isOn, SPRM } from './doc-formats.ts';

/** What the reader sees of a text with these formats. */
export type Fonts = { shown(text: string, formats: Formats): string };

export function readFonts(file: DocFile): Fonts {
  const names = fontNames(file.part(PART.fonts));
  return {
    shown(text, formats) {
      const symbol = formats.get(SPRM.symbol);
      // A character of a symbol font stands in the format; the text has a placeholder for it.
      if (symbol && isOn(formats, SPRM.special))
        return symbolOf(names[symbol.readUInt16LE(0)] ?? '', symbol.readUInt16LE(2)).repeat(text.length);
      const font = formats.get(SPRM.font)?.readUInt16LE(0);
      return font === undefined ? text : symbolText(names[font] ?? '', text);
    },
  };
}

/** The bytes of a font's description before its name. */
const NAME_OFFSET = 39;

/** The list has its count and the size of what follows each entry; each entry has its length in a byte. */
function fontNames(part: Buffer): string[] {
  const names: string[] = [];
  for (let at = 4; at < part.length; ) {
    const length = part[at] ?? 0;
    const name = wideText(part.subarray(at + 1 + NAME_OFFSET, at + 1 + length));
    names.push(name.split('\0', 1)[0] ?? '');
    at += 1 + length;
  }
  return names;
}
