/** The texts that cells of a workbook refer to by number, or hold themselves (ECMA-376 part 1, 18.4). */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute, readXml } from '../../../markup/read-xml.ts';
import type { CellText, TextRun } from '../../../rendering/sheet-table.ts';

/** Collects one text from the elements inside `si` or `is`. Pronunciation (`rPh`) is left out. */
export type StringReader = {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(written: string): void;
  /** Returns the text since the last call. */
  take(): CellText;
};

export function stringReader(): StringReader {
  let runs: TextRun[] = [];
  let element: TextRun['element'];
  let inText = false;
  let phonetic = 0;
  return {
    open(name, attributes) {
      if (name === 'rPh') phonetic++;
      if (name === 'r') element = undefined;
      if (name === 'vertAlign') element = POSITIONS.get(attribute(attributes, 'val') ?? '');
      inText = name === 't' && phonetic === 0;
    },
    close(name) {
      if (name === 'rPh') phonetic--;
      if (name === 'r') element = undefined;
      inText = false;
    },
    text(written) {
      const last = runs.at(-1);
      if (!inText) return;
      if (last && last.element === element) last.text += written;
      else runs.push({ text: written, ...(element && { element }) });
    },
    take() {
      const taken = runs.map((run) => ({ ...run, text: unescapeString(run.text) }));
      runs = [];
      const [first] = taken;
      return taken.length > 1 || first?.element ? taken : (first?.text ?? '');
    },
  };
}

const POSITIONS: ReadonlyMap<string, TextRun['element']> = new Map([
  ['superscript', 'sup'],
  ['subscript', 'sub'],
]);

/** Characters that XML cannot hold are written as `_x000D_`, and a text that looks so as `_x005F_x000D_` (22.9.2.19). */
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
