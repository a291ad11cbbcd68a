/** What the owner of a PDF is told about parts of it that were not read. */
import type { FileWarning } from '../../extracted-file.ts';
import { OCR_IS_OFF } from '../../extraction-error.ts';
import { NAMED_MAX, pageWarning } from '../../page-warnings.ts';
import { type RecognitionState, recognitionWarnings } from '../../recognition/page-states.ts';

/**
 * `whole`: the page was read to its end. `isUnreliable`: a font on it does not say which letters it has. `recognition`:
 * what became of its pictures, if their text was to be recognised.
 */
export type PageState = {
  hasText: boolean;
  isWhole: boolean;
  isUnreliable: boolean;
  recognition?: RecognitionState;
};

/**
 * `attachments`: the names of attached files. `isDynamicForm`: its pages are made by a program (XFA). `recognises`:
 * scans are read.
 */
export type FileState = {
  recognises: boolean;
  pages: PageState[];
  attachments: string[];
  isCutOff: boolean;
  isDynamicForm: boolean;
};

/** At most one warning of each kind. */
export function warningsFor({
  pages,
  attachments,
  isCutOff,
  isDynamicForm,
  recognises,
}: FileState): FileWarning[] {
  const numbers = (isNamed: (page: PageState) => boolean): number[] =>
    pages.flatMap((page, i) => (isNamed(page) ? [i + 1] : []));
  return [
    ...pageWarning(
      'PAGES_WITHOUT_TEXT',
      numbers(
        ({ hasText, isWhole, isUnreliable, recognition = 'blank' }) =>
          !hasText && isWhole && !isUnreliable && recognition === 'blank',
      ),
      recognises ? 'without text' : `without text, perhaps scanned; ${OCR_IS_OFF}`,
    ),
    ...recognitionWarnings(pages.map(({ recognition }) => recognition)),
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

function attachmentWarning(names: string[]): FileWarning[] {
  if (names.length === 0) return [];
  const named = names.slice(0, NAMED_MAX).join(', ');
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
  return [{ code: 'PARTS_NOT_READ', message: `Attached files were not read: ${named}${more}.` }];
}
