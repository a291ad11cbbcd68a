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

type IsSkipped = (name: string, attributes: Attributes) => boolean;

/** What is skipped, by its depth. `open` and `close` return whether the element is to be skipped. */
function createSkipping(isSkipped: IsSkipped) {
  let depth = 0;
  /** The depth of the skipped element. */
  let skipped: number | undefined;
  return {
    isOn: () => skipped !== undefined,
    open(name: string, attributes: Attributes): boolean {
      depth++;
      if (skipped === undefined && isSkipped(name, attributes)) skipped = depth;
      return skipped !== undefined;
    },
    close(): boolean {
      depth--;
      const was = skipped !== undefined;
      if (skipped !== undefined && depth < skipped) skipped = undefined;
      return was;
    },
  };
}

const isHiddenCache = (name: string, attributes: Attributes): boolean =>
  name === 'table' && attribute(attributes, 'style-name') === HIDDEN_CACHE;

/** The master pages on which styles of sheets print them. */
function createMasterPages() {
  const pages = new Map<string, string>();
  return {
    take(attributes: Attributes): void {
      const page = attribute(attributes, 'master-page-name');
      if (page) pages.set(attribute(attributes, 'name') ?? '', page);
    },
    of: (style: string): string => pages.get(style) ?? 'Default',
  };
}

export function sheetEvents({ begin }: SheetsTarget): XmlEvents {
  const texts = sheetTexts();
  const masterPages = createMasterPages();
  const formats = valueFormats();
  let sheet: (OpenSheet & { end(): void }) | undefined;
  const isHidden: IsSkipped = (...element) => sheet === undefined && isHiddenCache(...element);
  const skipping = createSkipping((name, attributes) => SKIPPED.has(name) || isHidden(name, attributes));

  const beginSheet = (attributes: Attributes): void => {
    const { headers, end, ...target } = begin({
      name: attribute(attributes, 'name') ?? '',
      masterPage: masterPages.of(attribute(attributes, 'style-name') ?? ''),
    });
    sheet = { ...openSheet(target, texts, { headers, codeOf: formats.codeOf }), end };
  };
  return {
    open(name, attributes) {
      if (skipping.open(name, attributes)) return;
      if (name === 'table' && sheet === undefined) beginSheet(attributes);
      else {
        if (name === 'style') masterPages.take(attributes);
        if (!sheet) formats.open(name, attributes);
        sheet?.open(name, attributes);
        texts.open(name, attributes);
      }
    },
    close(name) {
      if (skipping.close()) return;
      texts.close(name);
      if (!sheet) formats.close(name);
      if (sheet?.isInside()) sheet.close(name);
      else sheet = void sheet?.end();
    },
    text(written) {
      if (skipping.isOn()) return;
      texts.text(written);
      if (!sheet) formats.text(written);
    },
  };
}
