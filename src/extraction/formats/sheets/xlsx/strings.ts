/** The texts that cells of a workbook refer to by number, or hold themselves (ECMA-376 part 1, 18.4). */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute, readXml } from '../../../markup/read-xml.ts';
import type { CellText } from '../../../rendering/sheet-table.ts';
import { type TextPosition, textCollector } from '../cell-text.ts';

/** Collects the text of the elements inside `si` or `is`. Pronunciation (`rPh`) is left out. */
export type StringReader = {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(written: string): void;
  /** Returns the text since the last call. */
  take(): CellText;
};

export function stringReader(): StringReader {
  const collector = textCollector();
  let position: TextPosition;
  /** The text of the open `t`, which may come in pieces. */
  let written: string[] | undefined;
  let phonetic = 0;
  return {
    open(name, attributes) {
      if (name === 'rPh') phonetic++;
      if (name === 'vertAlign') position = POSITIONS.get(attribute(attributes, 'val') ?? '');
      if (name === 't' && phonetic === 0) written = [];
    },
    close(name) {
      if (name === 'rPh') phonetic--;
      if (name === 'r') position = undefined;
      if (name !== 't' || written === undefined) return;
      collector.add(unescapeString(written.join('')), position);
      written = undefined;
    },
    text(piece) {
      written?.push(piece);
    },
    take: collector.take,
  };
}

const POSITIONS: ReadonlyMap<string, TextPosition> = new Map([
  ['superscript', 'sup'],
  ['subscript', 'sub'],
]);

/** Characters that XML cannot hold are written as `_x000D_`, and `_` before such a text as `_x005F_` (22.9.2.19). */
function unescapeString(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

export function readSharedStrings(part: Uint8Array | undefined): CellText[] {
  const strings: CellText[] = [];
  if (part === undefined) return strings;
  const reader = stringReader();
  readXml(part, {
    open: reader.open,
    close(name) {
      reader.close(name);
      if (name === 'si') strings.push(reader.take());
    },
    text: reader.text,
  });
  return strings;
}
