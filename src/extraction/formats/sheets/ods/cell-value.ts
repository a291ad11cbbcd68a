/** The text of a cell by its value (OpenDocument 1.3 part 3, 19.389), where the file has none as it is shown. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import type { CellText } from '../../../rendering/sheet-table.ts';
import { generalNumber, valueFormat } from '../../number-format.ts';
import { serialOf } from '../cell-formats.ts';

/** `code`: the cell's format, undefined where it has none of its own. */
export function valueText(attributes: Attributes, code: string | undefined): string {
  const number = code === undefined ? undefined : numberOf(attributes);
  if (code !== undefined && number !== undefined)
    return withCurrency(valueFormat(code, { epoch1904: false }).number(String(number)), attributes);
  return unformatted(attributes);
}

/** A format may leave the sign of the currency to the program. */
function withCurrency(shown: string, attributes: Attributes): string {
  const currency = attribute(attributes, 'currency');
  return currency && /^[-\d.,\s()]*$/.test(shown) ? `${shown} ${currency}` : shown;
}

/** The number that a format shows: of a date its day, of a time its share of a day. */
function numberOf(attributes: Attributes): number | string | undefined {
  switch (attribute(attributes, 'value-type')) {
    case 'float':
    case 'percentage':
    case 'currency':
      return attribute(attributes, 'value');
    case 'date':
      return serialOf(attribute(attributes, 'date-value') ?? '', { epoch1904: false });
    case 'time': {
      const { sign, hours, minutes, seconds } = timeOf(attribute(attributes, 'time-value') ?? '') ?? {};
      return hours === undefined
        ? undefined
        : Number(`${sign}1`) *
            (inMilliseconds(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) / DAY);
    }
    default:
      return undefined;
  }
}

const DAY = 86_400;
/** Programs write 14:29:59.9999999 for half past two. */
const inMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;

function unformatted(attributes: Attributes): string {
  const value = attribute(attributes, 'value') ?? '';
  switch (attribute(attributes, 'value-type')) {
    case 'float':
      return generalNumber(value);
    case 'percentage':
      return `${generalNumber(String(Number(value) * 100))}%`;
    case 'currency':
      return `${generalNumber(value)} ${attribute(attributes, 'currency') ?? ''}`.trim();
    case 'date':
      return (attribute(attributes, 'date-value') ?? '').replace('T', ' ');
    case 'time':
      return duration(attribute(attributes, 'time-value') ?? '');
    case 'boolean':
      return (attribute(attributes, 'boolean-value') ?? '').toUpperCase();
    default:
      return attribute(attributes, 'string-value') ?? '';
  }
}

/** `PT14H30M00S`. The parts are as written. */
function timeOf(
  written: string,
): { sign: string; hours: string; minutes: string; seconds: string } | undefined {
  const [, sign = '', hours, minutes = '0', seconds = '0'] =
    /^(-?)PT(\d+)H(?:(\d+)M)?(?:(\d+(?:[.,]\d*)?)S)?$/.exec(written) ?? [];
  return hours === undefined ? undefined : { sign, hours, minutes, seconds: seconds.replace(',', '.') };
}

/** `PT14H30M00S` → `14:30:00`. */
function duration(written: string): string {
  const time = timeOf(written);
  return time
    ? `${time.sign}${time.hours}:${time.minutes.padStart(2, '0')}:` +
        `${String(Math.floor(Number(time.seconds))).padStart(2, '0')}`
    : written;
}

/**
 * What programs write for a number in a narrow column, or for a long one: the sheet shows neither in a wider column.
 */
const CUT_OFF = /^#+$|^-?\d(?:[.,]\d+)?E\+\d+$/i;

/** The text of a cell as it is shown in a wide column. */
export function shownText(text: string, attributes: Attributes): string {
  const isNumber = attribute(attributes, 'value-type') === 'float';
  const value = attribute(attributes, 'value') ?? '';
  return isNumber && CUT_OFF.test(text) && Number.isSafeInteger(Number(value))
    ? unformatted(attributes)
    : text;
}

/** A double as Java writes it: `6.0`, `4.006381333931E12`. */
const JAVA_DOUBLE = /^-?\d+\.(?:0|\d+E-?\d+)$/;

/** Whether a program in Java wrote a number as its own text: the sheet shows it by the cell's format. */
export function isRawNumber(text: CellText, attributes: Attributes): boolean {
  return typeof text === 'string' && JAVA_DOUBLE.test(text) && text === attribute(attributes, 'value');
}
