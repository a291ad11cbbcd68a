/** Reads the main part of a workbook (ECMA-376 part 1, 18.2): its sheets, and from when its dates count. */
import { attribute, readXml } from '../../../markup/read-xml.ts';
import { type Area, printedRows } from '../../cell-references.ts';
import { type Relationship, relationshipId } from '../../office/relationships.ts';

/** `kind`: the type of its part, such as `worksheet` or `chartsheet`; `part` is undefined where it is missing. */
export type Sheet = { name: string; kind: string; part: string | undefined; printTitles: Area | undefined };

/** Excel's name for the rows and columns that are printed on each page. */
const PRINT_TITLES = '_xlnm.Print_Titles';

export function readWorkbook(
  workbook: Uint8Array,
  relationships: Relationship[],
): { sheets: Sheet[]; epoch1904: boolean } {
  const byId = new Map(relationships.map((relationship) => [relationship.id, relationship]));
  const sheets: Sheet[] = [];
  let epoch1904 = false;
  let titled: { sheet: number; reference: string } | undefined;
  readXml(workbook, {
    open(name, attributes) {
      if (name === 'workbookPr') epoch1904 = /^(?:1|true)$/.test(attribute(attributes, 'date1904') ?? '');
      if (name === 'definedName' && attribute(attributes, 'name') === PRINT_TITLES)
        titled = { sheet: Number(attribute(attributes, 'localSheetId') ?? -1), reference: '' };
      if (name !== 'sheet') return;
      const related = byId.get(relationshipId(attributes));
      sheets.push({
        name: attribute(attributes, 'name') ?? '',
        kind: related?.type ?? 'worksheet',
        part: related?.target,
        printTitles: undefined,
      });
    },
    close(name) {
      if (name !== 'definedName' || !titled) return;
      const sheet = sheets[titled.sheet];
      if (sheet) sheet.printTitles = printedRows(titled.reference);
      titled = undefined;
    },
    text(written) {
      if (titled) titled.reference += written;
    },
  });
  return { sheets, epoch1904 };
}
