/** Makes workbooks (Office Open XML) from texts in cells, with what stands around the rows of a sheet. */
import { xlsxOf } from './made-files.ts';
import { writeZip, type ZipEntry } from './write-zip.ts';

/** `rows`: texts by column, '' for an empty cell. `after` follows the rows, `before` precedes them. */
export type MadeSheet = {
  rows: string[][];
  before?: string;
  after?: string;
  /** Replaces `<definedNames/>` of the workbook. */
  definedNames?: string;
  /** Targets of the sheet's relationships by their types, and these parts. */
  related?: [type: string, target: string][];
  parts?: ZipEntry[];
};

const columnName = (column: number): string =>
  (column >= 26 ? columnName(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26));

/** A workbook with an empty sheet and this one, `Opening hours`. */
export function madeWorkbook({
  rows,
  before = '',
  after = '',
  definedNames = '',
  related = [],
  parts = [],
}: MadeSheet) {
  const written = rows.map((row, i) => {
    const cells = row.map((text, column) =>
      text === '' ? '' : `<c r="${columnName(column)}${i + 1}" t="inlineStr"><is><t>${text}</t></is></c>`,
    );
    return row.length === 0 ? '' : `<row r="${i + 1}">${cells.join('')}</row>`;
  });
  const relationships = related.map(
    ([type, target], i) => `<Relationship Id="rId${i + 1}" Type="x/${type}" Target="${target}"/>`,
  );
  const entries = xlsxOf('').map((entry) => {
    if (entry.name === 'xl/sheet1.xml') return { ...entry, content: '<worksheet><sheetData/></worksheet>' };
    if (entry.name === 'xl/workbook.xml')
      return { ...entry, content: String(entry.content).replace('</sheets>', `</sheets>${definedNames}`) };
    if (entry.name !== 'xl/sheet2.xml') return entry;
    const content = `<worksheet>${before}<sheetData>${written.join('')}</sheetData>${after}</worksheet>`;
    return { ...entry, content };
  });
  return writeZip([
    ...entries,
    { name: 'xl/_rels/sheet2.xml.rels', content: `<Relationships>${relationships.join('')}</Relationships>` },
    ...parts,
  ]);
}
