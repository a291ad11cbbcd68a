/** Writes the values of cells by their number formats, as Excel shows them: dates, percentages, currencies. */
import { attribute, readXml } from '../../markup/read-xml.ts';
import { type ValueFormat, valueFormat } from '../number-format.ts';
import { formatCode } from './built-in-formats.ts';

/** A cell's value as stored in the sheet, with its type (ECMA-376, 18.18.11) and the code of its number format. */
export type WrittenCell = { type: string; code: string; value: string };
export type CellFormatter = (cell: WrittenCell) => string;

/**
 * The general format shows these numbers as they are stored. It rounds longer fractions, and has no zero at their end:
 * Apache POI stores each number as a fraction, such as `12.0`.
 */
const SHORT_NUMBER = /^-?\d{1,10}(?:\.\d{0,3}[1-9])?$/;

/** Excel allows a workbook some 250 codes of its own. Further ones are not worth their time. */
const CODES_MAX = 2_000;

/** `epoch1904`: the workbook's dates count from 1904. */
export function cellFormatter({ epoch1904 }: { epoch1904: boolean }): CellFormatter {
  const formats = new Map<string, ValueFormat>();
  const formatOf = (code: string): ValueFormat => {
    const known =
      formats.get(code) ?? valueFormat(formats.size < CODES_MAX ? code : 'General', { epoch1904 });
    formats.set(code, known);
    return known;
  };
  return ({ type, code, value }) => {
    if (code === 'General' && (type !== 'n' || SHORT_NUMBER.test(value))) return unformatted(type, value);
    if (type === 'n') return formatOf(code).number(value);
    if (type === 'd') return formatOf(code).number(serialOf(value, { epoch1904 }));
    return type === 'b' || type === 'e' ? unformatted(type, value) : formatOf(code).text(value);
  };
}

/** Truth values, errors (`#N/A`), texts and dates that no format changes. */
function unformatted(type: string, value: string): string {
  if (type === 'b') return /^(?:1|true)$/.test(value) ? 'TRUE' : 'FALSE';
  return type === 'd' ? value.replace('T', ' ') : value;
}

const DAY_MS = 86_400_000;

/** The number of a date in ISO 8601, as strict workbooks store it (18.17.4.1); other texts stay. */
export function serialOf(value: string, { epoch1904 }: { epoch1904: boolean }): string {
  const time = /^(\d\d):(\d\d)(?::(\d\d))?/.exec(value);
  if (time) return String((Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3] ?? 0)) / 86_400);
  const milliseconds = Date.parse(
    /[zZ]$|T.*[+-]\d\d:\d\d$/.test(value) || !value.includes('T') ? value : `${value}Z`,
  );
  const from = epoch1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  return Number.isNaN(milliseconds) ? value : String((milliseconds - from) / DAY_MS);
}

/** The format code of each cell style, from the `styles` part. */
export function readStyleCodes(styles: Uint8Array | undefined): string[] {
  if (styles === undefined) return [];
  const written = new Map<number, string>();
  const ids: number[] = [];
  let inCellStyles = false;
  readXml(styles, {
    open(name, attributes) {
      const id = Number(attribute(attributes, 'numFmtId') ?? 0);
      if (name === 'numFmt') written.set(id, attribute(attributes, 'formatCode') ?? '');
      if (name === 'cellXfs') inCellStyles = true;
      if (name === 'xf' && inCellStyles) ids.push(id);
    },
    close(name) {
      if (name === 'cellXfs') inCellStyles = false;
    },
  });
  return ids.map((id) => formatCode(id, written.get(id)));
}
