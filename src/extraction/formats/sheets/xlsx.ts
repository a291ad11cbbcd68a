/**
 * Reads workbooks (Office Open XML, ECMA-376 part 1, clause 18): each sheet is a page, its name a heading.
 * SheetJS reads them too, but it unpacks every part without a limit: a file of 0.5 MB took 1.1 GB of memory.
 */

import type { ExtractedFile } from '../../extracted-file.ts';
import { corrupt } from '../../extraction-error.ts';
import { attribute, readXml } from '../../markup/read-xml.ts';
import { type HtmlRenderer, renderHtml } from '../../rendering/html-renderer.ts';
import { cellCounter, finishWorkbook, sheetWriter } from '../../rendering/sheet-writer.ts';
import { type Archive, openArchive } from '../archive.ts';
import { mainPart, type Relationship, relationshipId, relationshipsOf } from '../office/relationships.ts';
import { type CellFormatter, cellFormatter, readStyleCodes } from './cell-formats.ts';

type Sheet = { name: string; part: string };

/** @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX */
export async function extractXlsx(bytes: Uint8Array): Promise<ExtractedFile> {
  const archive = await openArchive(bytes);
  const main = await mainPart(archive, 'xl/workbook.xml');
  const workbook = await archive.read(main);
  if (workbook === undefined) throw corrupt('The workbook has no main part.');
  const relationships = await relationshipsOf(archive, main);
  const partNamed = async (wanted: string) => {
    const target = relationships.find(({ type }) => type === wanted)?.target;
    return target === undefined ? undefined : await archive.read(target);
  };
  const strings = sharedStrings(await partNamed('sharedStrings'));
  const { sheets, epoch1904 } = readWorkbook(workbook, relationships);
  const codes = readStyleCodes(await partNamed('styles'));
  const format = cellFormatter({ epoch1904 });
  const renderer = renderHtml({ keepBoilerplate: true });
  const countCells = cellCounter();
  for (const [i, { name, part }] of sheets.entries()) {
    const sheet = await archive.read(part);
    if (sheet === undefined) continue;
    const writer = sheetWriter(renderer, { page: i + 1, name });
    readSheet(sheet, { strings, codes, format, countCells, writeRow: writer.row });
    writer.end();
    await renderComments(archive, part, renderer);
  }
  return { extracted: finishWorkbook(renderer), warnings: [], pageCount: sheets.length };
}

function readWorkbook(workbook: Uint8Array, relationships: Relationship[]) {
  const sheets: Sheet[] = [];
  let epoch1904 = false;
  readXml(workbook, {
    open(name, attributes) {
      if (name === 'workbookPr') epoch1904 = /^(?:1|true)$/.test(attribute(attributes, 'date1904') ?? '');
      if (name !== 'sheet') return;
      const related = relationships.find(({ id }) => id === relationshipId(attributes));
      if (related?.type === 'worksheet')
        sheets.push({ name: attribute(attributes, 'name') ?? '', part: related.target });
    },
  });
  return { sheets, epoch1904 };
}

/** The texts that cells refer to by number. Pronunciation (`rPh`) is left out. */
function sharedStrings(part: Uint8Array | undefined): string[] {
  const strings: string[] = [];
  let text: string[] | undefined;
  let inText = false;
  let phonetic = 0;
  if (part === undefined) return strings;
  readXml(part, {
    open(name) {
      if (name === 'si') text = [];
      if (name === 'rPh') phonetic++;
      inText = name === 't';
    },
    close(name) {
      if (name === 'rPh') phonetic--;
      if (name === 'si') strings.push(text?.join('') ?? '');
      inText = false;
    },
    text(written) {
      if (inText && phonetic === 0) text?.push(written);
    },
  });
  return strings;
}

type SheetContext = {
  strings: string[];
  /** The format code of each style. */
  codes: string[];
  format: CellFormatter;
  countCells(added: number): void;
  writeRow(cells: string[]): void;
};

/** Reads the rows with content. */
function readSheet(part: Uint8Array, { strings, codes, format, countCells, writeRow }: SheetContext): void {
  let row: string[] = [];
  let cell = { type: 'n', code: '', column: 0, value: '' };
  let inValue = false;
  readXml(part, {
    open(name, attributes) {
      if (name === 'row') row = [];
      if (name === 'c') {
        const column = columnOf(attribute(attributes, 'r')) ?? row.length;
        const code = codes[Number(attribute(attributes, 's') ?? 0)] ?? 'General';
        cell = { type: attribute(attributes, 't') ?? 'n', code, column, value: '' };
      }
      inValue = name === 'v' || name === 't';
    },
    close(name) {
      inValue = false;
      if (name === 'row') writeRow(row);
      if (name !== 'c' || cell.value === '') return;
      countCells(1 + Math.max(0, cell.column - row.length));
      while (row.length < cell.column) row.push('');
      const value = cell.type === 's' ? (strings[Number(cell.value)] ?? '') : cell.value;
      row[cell.column] = format({ ...cell, value });
    },
    text(written) {
      if (inValue) cell.value += written;
    },
  });
}

/** Excel's last column is XFD; references beyond it are invalid. */
const COLUMNS_MAX = 16_384;

/** The column of a reference, from 0: `AB12` → 27. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return Math.min(column, COLUMNS_MAX) - 1;
}

/** Comments on cells, as paragraphs after the sheet. */
async function renderComments(archive: Archive, sheet: string, renderer: HtmlRenderer): Promise<void> {
  const relationships = await relationshipsOf(archive, sheet);
  for (const { target } of relationships.filter(({ type }) => type === 'comments')) {
    const part = await archive.read(target);
    let inText = false;
    if (!part) continue;
    readXml(part, {
      open(name) {
        if (name === 'comment') renderer.open('p');
        inText = name === 't';
      },
      close(name) {
        if (name === 'comment') renderer.close('p');
        inText = false;
      },
      text(written) {
        if (inText) renderer.text(written);
      },
    });
  }
}
