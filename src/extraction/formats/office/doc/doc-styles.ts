/** Reads what the styles of a Word document mean for its paragraphs ([MS-DOC] 2.9.271): headings and lists. */
import { type DocFile, PART } from './doc-file.ts';
import { type Formats, parseModifiers, SPRM } from './doc-formats.ts';

/** `level`: of a heading, from 1. `list` and `listLevel`: the list that paragraphs of the style belong to. */
export type ParagraphStyle = {
  level: number | undefined;
  list: number | undefined;
  listLevel: number | undefined;
};

type Style = { kind: number; based: number; formats: Formats };

/** Built-in styles: heading 1 to 9 have their numbers, and the title of a document is this one (2.9.260, sti). */
const TITLE = 62;
/** A style that is based on none. */
const NO_STYLE = 0xfff;
/** Styles are based on each other up to this depth. */
const DEPTH_MAX = 11;

/** The style with a number; what it does not say, the style that it is based on says. */
export function readStyles(file: DocFile): (number: number) => ParagraphStyle {
  const styles = parseStyles(file.part(PART.styles));
  const known = new Map<number, ParagraphStyle>();
  const resolve = (number: number): ParagraphStyle => {
    const resolved: ParagraphStyle = { level: undefined, list: undefined, listLevel: undefined };
    let style = styles.get(number);
    for (let depth = 0; style && depth < DEPTH_MAX; depth++) {
      resolved.level ??= levelOf(style);
      resolved.list ??= style.formats.get(SPRM.list)?.readUInt16LE(0);
      resolved.listLevel ??= style.formats.get(SPRM.listLevel)?.[0];
      style = style.based === NO_STYLE ? undefined : styles.get(style.based);
    }
    return resolved;
  };
  return (number) => {
    const style = known.get(number) ?? resolve(number);
    known.set(number, style);
    return style;
  };
}

function levelOf({ kind, formats }: Style): number | undefined {
  if (kind >= 1 && kind <= 9) return kind;
  const outline = formats.get(SPRM.outlineLevel)?.[0];
  if (outline !== undefined) return outline < 9 ? outline + 1 : undefined;
  return kind === TITLE ? 1 : undefined;
}

const PARAGRAPH_STYLE = 1;

function parseStyles(part: Buffer): Map<number, Style> {
  const styles = new Map<number, Style>();
  if (part.length < 6) return styles;
  const baseLength = part.readUInt16LE(4);
  let at = 2 + part.readUInt16LE(0);
  for (let number = 0; at + 2 <= part.length; number++) {
    const length = part.readUInt16LE(at);
    const style = parseStyle(part.subarray(at + 2, at + 2 + length), baseLength);
    if (style) styles.set(number, style);
    at += 2 + length + (length % 2);
  }
  return styles;
}

/** A style's numbers, its name, and for paragraphs a list of modifiers. */
function parseStyle(bytes: Buffer, baseLength: number): Style | undefined {
  if (bytes.length < Math.max(baseLength, 6) + 2) return undefined;
  const kind = bytes.readUInt16LE(0) & 0xfff;
  const second = bytes.readUInt16LE(2);
  const based = second >> 4;
  const at = baseLength + 2 + 2 * bytes.readUInt16LE(baseLength) + 2;
  if ((second & 0xf) !== PARAGRAPH_STYLE || at + 4 > bytes.length) return { kind, based, formats: new Map() };
  const length = bytes.readUInt16LE(at);
  return { kind, based, formats: parseModifiers(bytes.subarray(at + 4, at + 2 + length)) };
}
