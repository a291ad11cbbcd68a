/** Reads the texts of the shapes on a slide ([MS-PPT] 2.5.13, [MS-ODRAW] 2.2.13). */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { wideText } from '../../../wide-text.ts';
import { edgeNumbers } from '../edges.ts';
import { type Rec, type RecordReader, TYPE } from './ppt-records.ts';
import { type Stretch, superscriptsIn } from './ppt-styles.ts';

/** `kind`: what the text is for, as TITLES. `raised`: its superscripts. */
export type Text = { kind: number; text: string; raised?: Stretch[] };

/** `place`: of a placeholder, what it is for; 0 for other shapes. */
export type Shape = { place: number; texts: Text[] };

/** The cells of a table by rows. `attributes`: the columns and rows that a cell covers. */
export type Table = { rows: { texts: Text[]; attributes: Attributes }[][] };

/** Kinds of texts (2.13.33): the title of a slide, also in its middle. */
export const TITLES = new Set([0, 6]);
export const NOTES_TEXT = 2;
const OTHER_TEXT = 4;

/** Shapes in groups in groups are read up to this depth. */
const DEPTH_MAX = 40;

/** `outline`: the texts that the presentation keeps apart from the slide, to which its placeholders refer by number. */
export function* shapesOf(records: RecordReader, slide: Rec, outline: Text[]): Generator<Shape | Table> {
  for (const drawing of records.inside(slide)) {
    if (drawing.type !== TYPE.drawing) continue;
    for (const shapes of records.inside(drawing))
      if (shapes.type === TYPE.shapes) yield* inGroup(records, shapes, outline, 0);
  }
}

function* inGroup(
  records: RecordReader,
  group: Rec,
  outline: Text[],
  depth: number,
): Generator<Shape | Table> {
  if (depth > DEPTH_MAX) return;
  const members = [...records.inside(group)];
  const [first] = members;
  if (first?.type === TYPE.shape && isTable(records, first)) {
    yield tableOf(records, members.slice(1), outline);
    return;
  }
  for (const member of members) {
    if (member.type === TYPE.shape) yield shapeOf(records, member, outline);
    if (member.type === TYPE.group) yield* inGroup(records, member, outline, depth + 1);
  }
}

function shapeOf(records: RecordReader, shape: Rec, outline: Text[]): Shape {
  let place = 0;
  const texts: Text[] = [];
  for (const part of records.inside(shape)) {
    if (part.type === TYPE.clientText) texts.push(...textsIn(records, part, outline));
    if (part.type !== TYPE.clientData) continue;
    for (const data of records.inside(part))
      if (data.type === TYPE.placeholder && data.bytes.length > 4) place = data.bytes.readUInt8(4);
  }
  return { place, texts };
}

/** The texts in a container; of those that refer to the outline, the texts there. */
export function textsIn(records: RecordReader, container: Rec, outline: Text[] = []): Text[] {
  const texts: Text[] = [];
  let kind = OTHER_TEXT;
  for (const { type, bytes } of records.inside(container)) {
    if (type === TYPE.textHeader && bytes.length >= 4) {
      kind = bytes.readUInt32LE(0);
      texts.push({ kind, text: '' });
    }
    if (type === TYPE.outlineReference && bytes.length >= 4) {
      const referred = outline[bytes.readUInt32LE(0)];
      if (referred) texts.push(referred);
    }
    const last = texts.at(-1);
    if (last) addStyles(last, type, bytes);
    const text = textOf(type, bytes);
    if (text === undefined) continue;
    if (last && last.text === '') last.text = text;
    else texts.push({ kind, text });
  }
  return texts;
}

/** Adds the superscripts of a text, where the record holds its styles. */
export function addStyles(text: Text, type: number, bytes: Buffer): void {
  if (type === TYPE.textStyles) text.raised = superscriptsIn(bytes, text.text.length);
}

/** Narrow texts hold the lower bytes of UTF-16. */
export function textOf(type: number, bytes: Buffer): string | undefined {
  if (type === TYPE.wideText || type === TYPE.string) return wideText(bytes);
  return type === TYPE.narrowText ? bytes.toString('latin1') : undefined;
}

/** A property of a group, whose first bit says that it is a table ([MS-ODRAW] 2.3.4.37). */
const TABLE_PROPERTY = 0x039f;

function isTable(records: RecordReader, shape: Rec): boolean {
  for (const { type, kind, bytes } of records.inside(shape)) {
    if (type !== TYPE.moreProperties) continue;
    for (let i = 0; i < kind && 6 * i + 6 <= bytes.length; i++)
      if ((bytes.readUInt16LE(6 * i) & 0x3fff) === TABLE_PROPERTY)
        return (bytes.readUInt32LE(6 * i + 2) & 1) === 1;
  }
  return false;
}

type Cell = { texts: Text[]; left: number; top: number; right: number; bottom: number };

/** In the units of a slide, of which an inch has 576; at most half of the narrowest cell. */
const EDGE_TOLERANCE = 8;

const toleranceFor = (sizes: number[]): number =>
  sizes.reduce((least, size) => (size > 0 ? Math.min(least, size / 2) : least), EDGE_TOLERANCE);

/** The cells are shapes, which their places order. Lines around them have no text. */
function tableOf(records: RecordReader, members: Rec[], outline: Text[]): Table {
  const cells = members.flatMap((member) => cellOf(records, member, outline));
  const column = edgeNumbers(
    cells.flatMap(({ left, right }) => [left, right]),
    toleranceFor(cells.map(({ left, right }) => right - left)),
  );
  const row = edgeNumbers(
    cells.flatMap(({ top, bottom }) => [top, bottom]),
    toleranceFor(cells.map(({ top, bottom }) => bottom - top)),
  );
  const rows = new Map<number, Cell[]>();
  for (const cell of cells) {
    const inRow = rows.get(row(cell.top)) ?? [];
    rows.set(row(cell.top), inRow);
    inRow.push(cell);
  }
  const ordered = [...rows].sort(([a], [b]) => a - b);
  return {
    rows: ordered.map(([, inRow]) =>
      inRow
        .sort((a, b) => a.left - b.left)
        .map(({ texts, left, top, right, bottom }) => ({
          texts,
          attributes: new Map([
            ['colspan', String(Math.max(1, column(right) - column(left)))],
            ['rowspan', String(Math.max(1, row(bottom) - row(top)))],
          ]),
        })),
    ),
  };
}

function cellOf(records: RecordReader, shape: Rec, outline: Text[]): Cell[] {
  if (shape.type !== TYPE.shape) return [];
  const parts = [...records.inside(shape)];
  const anchor = parts.find(({ type, bytes }) => type === TYPE.childAnchor && bytes.length >= 16)?.bytes;
  const text = parts.find(({ type }) => type === TYPE.clientText);
  if (!anchor || !text) return [];
  const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map((at) => anchor.readInt32LE(at));
  return [{ texts: textsIn(records, text, outline), left, top, right, bottom }];
}
