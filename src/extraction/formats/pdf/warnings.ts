/** What the owner of a PDF is told about parts of it that were not read. */
import type { FileWarning, FileWarningCode } from '../../extracted-file.ts';

/** `whole`: the page was read to its end. `isUnreliable`: a font on it does not say which letters it has. */
export type PageState = { hasText: boolean; isWhole: boolean; isUnreliable: boolean };

/** `attachments`: the names of attached files. `isDynamicForm`: its pages are made by a program (XFA). */
export type FileState = {
  pages: PageState[];
  attachments: string[];
  isCutOff: boolean;
  isDynamicForm: boolean;
};

/** At most one warning of each kind. */
export function warningsFor({ pages, attachments, isCutOff, isDynamicForm }: FileState): FileWarning[] {
  const numbers = (isNamed: (page: PageState) => boolean): number[] =>
    pages.flatMap((page, i) => (isNamed(page) ? [i + 1] : []));
  return [
    ...pageWarning(
      'PAGES_WITHOUT_TEXT',
      numbers(({ hasText, isWhole, isUnreliable }) => !hasText && isWhole && !isUnreliable),
      'without text, perhaps scanned',
    ),
    ...pageWarning(
      'PAGES_NOT_READ',
      numbers(({ isWhole }) => !isWhole),
      'damaged and not read',
    ),
    ...pageWarning(
      'TEXT_UNRELIABLE',
      numbers(({ isUnreliable }) => isUnreliable),
      'text is missing or wrong, because a font does not say which letters it has',
    ),
    ...(isCutOff ? [CUT_OFF] : []),
    ...attachmentWarning(attachments),
    ...(isDynamicForm ? [DYNAMIC_FORM] : []),
  ];
}

const CUT_OFF: FileWarning = {
  code: 'FILE_CUT_OFF',
  message: 'The file ends early: what is there was read, and the rest is missing.',
};

const DYNAMIC_FORM: FileWarning = {
  code: 'PARTS_NOT_READ',
  message:
    'The file is a form that Acrobat makes when it is opened (XFA), which was not read: print it to a PDF.',
};

/** A warning names at most this many pages or files, and counts the rest. */
const NAMED_MAX = 20;

/** One warning that lists the pages: [1, 4, 5, 6] → `1, 4–6`. Empty for no pages. */
function pageWarning(code: FileWarningCode, pages: number[], what: string): FileWarning[] {
  if (pages.length === 0) return [];
  const runs: { first: number; last: number }[] = [];
  for (const page of pages) {
    const run = runs.at(-1);
    if (run?.last === page - 1) run.last = page;
    else runs.push({ first: page, last: page });
  }
  const named = runs
    .slice(0, NAMED_MAX)
    .map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
  const more = runs.length > NAMED_MAX ? ' and more' : '';
  const message = `${pages.length === 1 ? 'Page' : 'Pages'} ${named.join(', ')}${more}: ${what}.`;
  return [{ code, message }];
}

function attachmentWarning(names: string[]): FileWarning[] {
  if (names.length === 0) return [];
  const named = names.slice(0, NAMED_MAX).join(', ');
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
  return [{ code: 'PARTS_NOT_READ', message: `Attached files were not read: ${named}${more}.` }];
}
