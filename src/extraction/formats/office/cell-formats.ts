/** Formats cell values as Excel shows them: dates, percentages, currencies. */
import { attribute, readXml } from '../../markup/read-xml.ts';

/** A cell's value as stored in the sheet, with its type (ECMA-376, 18.18.11) and its style number. */
export type WrittenCell = { type: string; style: number; value: string };
export type CellFormatter = (cell: WrittenCell) => string;

/** The general format shows these numbers as they are stored, and rounds longer fractions. */
const SHORT_NUMBER = /^-?\d{1,10}(?:\.\d{1,4})?$/;

/** The formatter for a workbook with this `styles` part. `epoch1904`: its dates count from 1904. */
export async function cellFormatter(
  styles: Uint8Array | undefined,
  { epoch1904 }: { epoch1904: boolean },
): Promise<CellFormatter> {
  const { SSF } = await import('@e965/xlsx');
  const formats = styles ? readFormats(styles) : [];
  return ({ type, style, value }) => {
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    const format = formats[style] ?? 0;
    if (type !== 'n' || (format === 0 && SHORT_NUMBER.test(value))) return value;
    try {
      return SSF.format(format, Number(value), { date1904: epoch1904 });
    } catch {
      // The format is invalid, or the number is not a date.
      return value;
    }
  };
}

/** The number format of each cell style: a code like `0.00%`, or the number of a built-in format. */
function readFormats(styles: Uint8Array): (string | number)[] {
  const codes = new Map<number, string>();
  const formats: (string | number)[] = [];
  let inCellStyles = false;
  readXml(styles, {
    open(name, attributes) {
      const id = Number(attribute(attributes, 'numFmtId') ?? 0);
      if (name === 'numFmt') codes.set(id, attribute(attributes, 'formatCode') ?? '');
      if (name === 'cellXfs') inCellStyles = true;
      if (name === 'xf' && inCellStyles) formats.push(codes.get(id) ?? id);
    },
    close(name) {
      if (name === 'cellXfs') inCellStyles = false;
    },
  });
  return formats;
}
