/** Follows the sheets of an OpenDocument spreadsheet, their rows and cells, and what lies on them. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute, type XmlEvents } from '../../../markup/read-xml.ts';
import type { HtmlRenderer } from '../../../rendering/html-renderer.ts';
import type { CellText } from '../../../rendering/sheet-table.ts';
import { type SheetWriter, sheetWriter } from '../../../rendering/sheet-writer.ts';
import { writeParagraphs } from '../sheet-paragraphs.ts';
import { shownText, valueText } from './cell-value.ts';
import { type RowWriter, rowWriter } from './rows.ts';
import { sheetTexts } from './sheet-texts.ts';

/** Deleted text, scripts, forms, pronunciation, names, rules and descriptions. */
const SKIPPED = new Set([
  'tracked-changes',
  'scripts',
  'event-listeners',
  'font-face-decls',
  'forms',
  'ruby-text',
  'named-expressions',
  'database-ranges',
  'data-pilot-tables',
  'label-ranges',
  'dde-links',
  'consolidation',
  'calculation-settings',
  'content-validations',
  'settings',
  'title',
  'desc',
]);

/** Sheets with this style hold values of other files, for formulas. Programs do not show them. */
const HIDDEN_CACHE = 'ta_extref';

type OpenSheet = { writer: SheetWriter; rows: RowWriter; notes: CellText[]; headerDepth: number };
/** What is open in a sheet, with its depth. The text of a shape or comment in a cell is no text of the cell. */
type Holder = { kind: 'cell' | 'covered' | 'comment' | 'shape'; depth: number; attributes: Attributes };

type Context = { renderer: HtmlRenderer; countCells(added: number): void };

/** `sheets`: the number of visible sheets. `isCut`: repeated cells or rows were left out. */
type Result = { sheets: number; isCut: boolean };

export function sheetEvents({ renderer, countCells }: Context): { events: XmlEvents; result(): Result } {
  const texts = sheetTexts();
  const holders: Holder[] = [];
  let sheet: OpenSheet | undefined;
  let sheets = 0;
  let isCut = false;
  let depth = 0;
  /** The depth of the skipped element. */
  let skipped: number | undefined;

  const beginSheet = (attributes: Attributes): void => {
    sheets++;
    const writer = sheetWriter(renderer, { page: sheets, name: attribute(attributes, 'name') ?? '' });
    const onLimit = () => {
      isCut = true;
    };
    sheet = { writer, rows: rowWriter({ row: writer.row, countCells, onLimit }), notes: [], headerDepth: 0 };
  };
  const endSheet = ({ writer, notes }: OpenSheet): void => {
    writer.end();
    writeParagraphs(renderer, notes);
    sheet = undefined;
  };
  const hold = (kind: Holder['kind'], attributes: Attributes): void => {
    holders.push({ kind, depth, attributes });
    texts.begin();
  };
  const openInSheet = (open: OpenSheet, name: string, attributes: Attributes): void => {
    const holder = holders.at(-1);
    if (holder?.kind === 'cell' && depth === holder.depth + 1) {
      const isOwn = name === 'p' || name === 'table';
      if (!isOwn) hold(name === 'annotation' ? 'comment' : 'shape', attributes);
    } else if (holder === undefined) {
      if (name === 'table-row') open.rows.beginRow(attributes);
      if (name === 'table-cell') hold('cell', attributes);
      if (name === 'covered-table-cell') hold('covered', attributes);
      if (name === 'shapes') hold('shape', attributes);
      if (name === 'table-header-rows') open.headerDepth++;
    }
  };
  const release = (open: OpenSheet, { kind, attributes }: Holder): void => {
    const text = texts.end();
    if (kind === 'cell') open.rows.cell(cellText(text, attributes), attributes);
    else if (kind === 'covered') open.rows.cell('', attributes);
    else if (text !== undefined && text.length > 0) open.notes.push(text);
  };
  /** Each paragraph of a shape is one of its own. */
  const endShapeParagraph = (open: OpenSheet): void => {
    const text = texts.end();
    if (text !== undefined && text.length > 0) open.notes.push(text);
    texts.begin();
  };
  return {
    events: {
      open(name, attributes) {
        depth++;
        if (skipped !== undefined) return;
        const isTable = name === 'table' && sheet === undefined;
        const isHidden = isTable && attribute(attributes, 'style-name') === HIDDEN_CACHE;
        if (SKIPPED.has(name) || isHidden) skipped = depth;
        else if (isTable) beginSheet(attributes);
        else {
          if (sheet) openInSheet(sheet, name, attributes);
          texts.open(name, attributes);
        }
      },
      close(name) {
        depth--;
        if (skipped !== undefined) {
          if (depth < skipped) skipped = undefined;
          return;
        }
        texts.close(name);
        if (!sheet) return;
        const holder = holders.at(-1);
        if (holder && depth < holder.depth) {
          holders.pop();
          release(sheet, holder);
        } else if (holder?.kind === 'shape' && (name === 'p' || name === 'h')) endShapeParagraph(sheet);
        else if (holder) return;
        else if (name === 'table-header-rows') sheet.headerDepth--;
        else if (name === 'table-row') sheet.rows.endRow({ isHeader: sheet.headerDepth > 0 });
        else if (name === 'table') endSheet(sheet);
      },
      text(written) {
        if (skipped === undefined) texts.text(written);
      },
    },
    result: () => ({ sheets, isCut }),
  };
}

/** The text of a cell as the sheet shows it, or its value where the file has no text of it. */
function cellText(text: CellText | undefined, attributes: Attributes): CellText {
  if (text === undefined) return valueText(attributes);
  return typeof text === 'string' ? shownText(text, attributes) : text;
}
