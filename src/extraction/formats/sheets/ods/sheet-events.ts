/** Follows the sheets of an OpenDocument spreadsheet. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute, type XmlEvents } from '../../../markup/read-xml.ts';
import { type OpenSheet, openSheet, type SheetTarget } from './open-sheet.ts';
import { sheetTexts } from './sheet-texts.ts';
import { valueFormats } from './value-formats.ts';

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

export type SheetsTarget = {
  /** Begins a sheet, printed on this master page. Returns what takes its content, and its declared header rows. */
  begin(sheet: {
    name: string;
    masterPage: string;
  }): SheetTarget & { headers: ReadonlySet<number>; end(): void };
};

export function sheetEvents({ begin }: SheetsTarget): XmlEvents {
  const texts = sheetTexts();
  const masterPages = new Map<string, string>();
  const formats = valueFormats();
  let sheet: (OpenSheet & { end(): void }) | undefined;
  let depth = 0;
  /** The depth of the skipped element. */
  let skipped: number | undefined;

  const beginSheet = (attributes: Attributes): void => {
    const style = attribute(attributes, 'style-name') ?? '';
    const { headers, end, ...target } = begin({
      name: attribute(attributes, 'name') ?? '',
      masterPage: masterPages.get(style) ?? 'Default',
    });
    sheet = { ...openSheet(target, texts, { headers, codeOf: formats.codeOf }), end };
  };
  return {
    open(name, attributes) {
      depth++;
      if (skipped !== undefined) return;
      const isSheet = name === 'table' && sheet === undefined;
      const isHidden = isSheet && attribute(attributes, 'style-name') === HIDDEN_CACHE;
      if (SKIPPED.has(name) || isHidden) skipped = depth;
      else if (isSheet) beginSheet(attributes);
      else {
        const masterPage = name === 'style' ? attribute(attributes, 'master-page-name') : undefined;
        if (masterPage) masterPages.set(attribute(attributes, 'name') ?? '', masterPage);
        if (!sheet) formats.open(name, attributes);
        sheet?.open(name, attributes);
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
      if (!sheet) formats.close(name);
      if (sheet?.isInside()) sheet.close(name);
      else if (sheet) {
        sheet.end();
        sheet = undefined;
      }
    },
    text(written) {
      if (skipped !== undefined) return;
      texts.text(written);
      if (!sheet) formats.text(written);
    },
  };
}
