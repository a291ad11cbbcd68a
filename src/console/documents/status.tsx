/** The status of a document's import, in words and colour, and what helps when it has failed. */
import type { Document, DocumentErrorCode, DocumentStatus, DocumentWarningCode } from '../../client/index.ts';
import { CheckIcon, FailureIcon, WaitIcon } from '../parts/icons.tsx';

export const STATUS_NAMES: Record<DocumentStatus, string> = {
  pending: 'Waiting',
  processing: 'Being read',
  processed: 'Searchable',
  failed: 'Failed',
  timeout: 'Timed out',
};

const WAITING = { Icon: WaitIcon, colour: 'wait' };
const FAILED = { Icon: FailureIcon, colour: 'bad' };
const LOOKS: Record<DocumentStatus, typeof WAITING> = {
  pending: WAITING,
  processing: WAITING,
  processed: { Icon: CheckIcon, colour: 'good' },
  failed: FAILED,
  timeout: FAILED,
};

export function StatusBadge({ status }: { status: DocumentStatus }) {
  const { Icon, colour } = LOOKS[status];
  return (
    <span class={`status ${colour}`}>
      <Icon />
      {STATUS_NAMES[status]}
    </span>
  );
}

/** Whether the import still goes on. */
export const isUnsettled = ({ status }: { status: DocumentStatus }): boolean =>
  status === 'pending' || status === 'processing';

export const hasFailed = ({ status }: { status: DocumentStatus }): boolean =>
  status === 'failed' || status === 'timeout';

/** What helps against each reason of a failure. */
const FAILURE_REMEDIES: Record<DocumentErrorCode, string> = {
  UNSUPPORTED_FILE_TYPE: '', // the reason says it
  FILE_CORRUPT: 'Open it on your computer, save it again, and upload the new file.',
  FILE_ENCRYPTED: 'Remove its password, and upload it again.',
  NO_TEXT_EXTRACTED: '', // only pages may be scans: SCAN_REMEDY
  FILE_TOO_COMPLEX: 'Split it into smaller files, and upload these.',
  PROCESSING_TIMEOUT: 'Retry when the service is less busy. If it fails again, split the file.',
  INTERNAL_ERROR: 'This is a fault of the service: retry, and look into its log if it fails again.',
  // The reasons of addresses say what to do.
  URL_NOT_ALLOWED: '',
  URL_NOT_FOUND: '',
  URL_REFUSED: '',
  URL_UNREACHABLE: '',
  FILE_TOO_LARGE: '',
  STORAGE_LIMIT_EXCEEDED: '',
};

/** Failures that a second reading of the same file cannot mend. */
const LASTING: ReadonlySet<DocumentErrorCode> = new Set(['FILE_CORRUPT', 'FILE_ENCRYPTED', 'FILE_TOO_LARGE']);

/** Whether it may help to read a document again. */
export const canBeReadAgain = (document: Pick<Document, 'status' | 'error'>): boolean =>
  hasFailed(document) && !(document.error !== undefined && LASTING.has(document.error.code));

const SCAN_REMEDY = 'If its pages are scans, scan them again with 300 dots per inch, and upload the result.';

/** What helps against the failure of a document; empty where nothing or its reason does. */
export function failureRemedy({ error, pageCount }: Pick<Document, 'error' | 'pageCount'>): string {
  if (error === undefined) return '';
  const isScan = error.code === 'NO_TEXT_EXTRACTED' && pageCount !== undefined;
  return isScan ? SCAN_REMEDY : FAILURE_REMEDIES[error.code];
}

/** What helps where a part of a file was not read. */
export const WARNING_REMEDIES: Record<DocumentWarningCode, string> = {
  PAGES_WITHOUT_TEXT: 'If they are scans, scan them again with 300 dots per inch, and upload the result.',
  PAGES_NOT_READ: 'Open it on your computer, save it again, and upload the new file.',
  TEXT_UNRELIABLE: 'Compare the text below with the file. A sharper scan of its pages may be read better.',
  FILE_CUT_OFF: 'Upload the file again, if you have more of it.',
  PARTS_NOT_READ: 'What matters in them can be uploaded as files of their own.',
  LIMIT_REACHED: 'Split the file into smaller ones, and upload these.',
};
