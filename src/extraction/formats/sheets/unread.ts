/** Collects what of a workbook is not read, and says so to its owner. */
import type { FileWarning } from '../../extracted-file.ts';

/** What may be left out, as the subject of a sentence: for one, and for several. */
const KINDS = {
  damaged: ['A sheet is damaged and was not read', 'sheets are damaged and were not read'],
  missing: ['A sheet is missing in the file', 'sheets are missing in the file'],
  macros: ['A sheet of macros was not read', 'sheets of macros were not read'],
  object: ['An embedded object was not read', 'embedded objects were not read'],
  formula: [
    'A formula has no stored result, since no spreadsheet program has saved the file',
    'formulas have no stored results, since no spreadsheet program has saved the file',
  ],
} as const;

export type Unread = {
  /** `sheet`: '' where it is not known. */
  add(kind: keyof typeof KINDS, sheet: string, count?: number): void;
  has(kind: keyof typeof KINDS): boolean;
  warnings(): FileWarning[];
};

/** A warning names this many sheets. */
const NAMED_MAX = 5;

export function unreadOf(): Unread {
  const found = new Map<keyof typeof KINDS, { count: number; sheets: Set<string> }>();
  return {
    add(kind, sheet, count = 1) {
      if (count === 0) return;
      const entry = found.get(kind) ?? { count: 0, sheets: new Set() };
      entry.count += count;
      if (sheet !== '') entry.sheets.add(sheet);
      found.set(kind, entry);
    },
    has: (kind) => found.has(kind),
    warnings: () =>
      [...found].map(([kind, { count, sheets }]) => {
        const [one, several] = KINDS[kind];
        const what = count === 1 ? one : `${count} ${several}`;
        return { code: 'PARTS_NOT_READ', message: `${what}${namesOf([...sheets])}.` };
      }),
  };
}

function namesOf(sheets: string[]): string {
  if (sheets.length === 0) return '';
  const named = sheets.slice(0, NAMED_MAX).map((name) => `“${name}”`);
  const more = sheets.length > NAMED_MAX ? ` and ${sheets.length - NAMED_MAX} more` : '';
  return ` (${sheets.length === 1 ? 'sheet' : 'sheets'} ${named.join(', ')}${more})`;
}
