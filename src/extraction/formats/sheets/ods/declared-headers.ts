/**
 * Finds the rows that an OpenDocument spreadsheet declares as names of columns, beside those in `table-header-rows`.
 */
import { attribute, readXml } from '../../../markup/read-xml.ts';
import { type Area, areaOf } from '../../cell-references.ts';
import type { OdfParts } from '../../office/odf/odf-parts.ts';
import { headerRows } from '../header-rows.ts';

/** The header rows of the sheet of this name. */
export type DeclaredHeaders = (sheet: string) => ReadonlySet<number>;

export function declaredHeaders({
  content,
  settings,
}: Pick<OdfParts, 'content' | 'settings'>): DeclaredHeaders {
  const tables = databaseRanges(content);
  const frozen = frozenRows(settings);
  return (sheet) =>
    headerRows({
      tables: tables.get(sheet) ?? [],
      filter: undefined,
      frozenRows: frozen.get(sheet) ?? 0,
      printTitles: undefined,
    });
}

/** The areas of filters and lists, by sheets (part 3, 9.4.15). They follow all sheets, which may be very long. */
function databaseRanges(content: Uint8Array): Map<string, Area[]> {
  const areas = new Map<string, Area[]>();
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  const start = bytes.lastIndexOf('database-ranges', bytes.lastIndexOf('database-ranges') - 1);
  if (start < 0) return areas;
  readXml(bytes.subarray(start), {
    open(name, attributes) {
      if (name !== 'database-range' || attribute(attributes, 'contains-header') === 'false') return;
      const { sheet, area } = addressOf(attribute(attributes, 'target-range-address') ?? '');
      const known = areas.get(sheet);
      if (area && known) known.push(area);
      else if (area) areas.set(sheet, [area]);
    },
  });
  return areas;
}

/** `'My sheet'.A4:'My sheet'.F64` (part 3, 18.3.5). */
function addressOf(address: string): { sheet: string; area: Area | undefined } {
  const [, quoted, plain = '', cells = ''] = /^\$?(?:'((?:[^']|'')*)'|([^.']*))\.(.*)$/s.exec(address) ?? [];
  const area = areaOf(cells.replace(/:.*\./s, ':'));
  return { sheet: quoted?.replaceAll("''", "'") ?? plain, area };
}

/** The mode of a split whose rows stay in place. */
const FROZEN = '2';

/** The number of rows that stay in place, by sheets. */
function frozenRows(settings: Uint8Array): Map<string, number> {
  const frozen = new Map<string, number>();
  let sheet = '';
  let mode = '';
  let item = '';
  readXml(settings, {
    open(name, attributes) {
      if (name === 'config-item-map-entry') {
        sheet = attribute(attributes, 'name') ?? '';
        mode = '';
      }
      if (name === 'config-item') item = attribute(attributes, 'name') ?? '';
    },
    close(name) {
      if (name === 'config-item') item = '';
    },
    text(written) {
      if (item === 'VerticalSplitMode') mode = written.trim();
      if (item === 'VerticalSplitPosition' && mode === FROZEN) frozen.set(sheet, Number(written));
    },
  });
  return frozen;
}
