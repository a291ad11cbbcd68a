/** All seeded bugs. */
import { ACCOUNT_BUGS, DELETION_BUGS, IMPORT_BUGS, LIST_BUGS, SEARCH_BUGS } from './behaviour-bugs.ts';
import type { Bug } from './bug.ts';
import { ENVELOPE_BUGS, HEADER_BUGS } from './envelope-bugs.ts';
import {
  ATTRIBUTE_BUGS,
  DERIVED_BUGS,
  DOCUMENT_BUGS,
  HISTORY_BUGS,
  KEY_BUGS,
  KNOWLEDGE_BASE_BUGS,
  NUMBER_AND_PAGE_BUGS,
  SEARCH_RESULT_BUGS,
  VALUE_BUGS,
  WEBHOOK_BUGS,
} from './field-bugs.ts';
import { CODE_BUGS, ERROR_DATA_BUGS, REFUSAL_BUGS, STATUS_BUGS } from './refusal-bugs.ts';
import { TRANSFER_BUGS } from './transfer-bugs.ts';

export const BUGS: readonly Bug[] = [
  ...HEADER_BUGS,
  ...ENVELOPE_BUGS,
  ...STATUS_BUGS,
  ...REFUSAL_BUGS,
  ...ERROR_DATA_BUGS,
  ...CODE_BUGS,
  ...DERIVED_BUGS,
  ...SEARCH_RESULT_BUGS,
  ...VALUE_BUGS,
  ...KNOWLEDGE_BASE_BUGS,
  ...ATTRIBUTE_BUGS,
  ...HISTORY_BUGS,
  ...KEY_BUGS,
  ...DOCUMENT_BUGS,
  ...TRANSFER_BUGS,
  ...WEBHOOK_BUGS,
  ...NUMBER_AND_PAGE_BUGS,
  ...SEARCH_BUGS,
  ...LIST_BUGS,
  ...DELETION_BUGS,
  ...ACCOUNT_BUGS,
  ...IMPORT_BUGS,
];
