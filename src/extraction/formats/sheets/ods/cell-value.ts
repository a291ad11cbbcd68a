/** The text of a cell by its value (OpenDocument 1.3 part 3, 19.389), where the file has none as it is shown. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import { generalNumber } from '../../number-format.ts';

export function valueText(attributes: Attributes): string {
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

/** `PT14H30M00S` → `14:30:00`. */
function duration(written: string): string {
  const [, sign = '', hours, minutes = '0', seconds = '0'] =
    /^(-?)PT(\d+)H(?:(\d+)M)?(?:(\d+)(?:[.,]\d*)?S)?$/.exec(written) ?? [];
  return hours === undefined
    ? written
    : `${sign}${hours}:${minutes.padStart(2, '0')}:${seconds.padStart(2, '0')}`;
}

/**
 * What programs write for a number in a narrow column, or for a long one: the sheet shows neither in a wider column.
 */
const CUT_OFF = /^#+$|^-?\d(?:[.,]\d+)?E\+\d+$/i;

/** The text of a cell as it is shown in a wide column. */
export function shownText(text: string, attributes: Attributes): string {
  const isNumber = attribute(attributes, 'value-type') === 'float';
  const value = attribute(attributes, 'value') ?? '';
  return isNumber && CUT_OFF.test(text) && Number.isSafeInteger(Number(value)) ? valueText(attributes) : text;
}
