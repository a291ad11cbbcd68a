/** Rows of documents as the contract shows them. */
import { expect, test } from 'vitest';
import { type DocumentRow, toStatusReport } from './documents.ts';

const ROW: DocumentRow = {
  knowledge_base_id: 'k',
  id: 'd',
  title: 't',
  type: 'pdf',
  size_bytes: 1,
  status: 'processed',
  error_code: null,
  error_message: null,
  warnings: [],
  page_count: null,
  recognition: null,
  passage_count: 0,
  created_at: new Date(0),
  updated_at: new Date(0),
  sha256: null,
  replaces: null,
  storage_bytes: 1,
  attributes: {},
  source_url: null,
  external_id: null,
};

test('sentences of a server of 0.2, which still runs during an upgrade, have the code of what they say', () => {
  const other = { code: 'FILE_CUT_OFF', message: 'The file ends early.' } as const;
  const [empty, damaged] = ['Page 2: without text, perhaps scanned.', 'Page 3: damaged and not read.'];
  expect(toStatusReport({ ...ROW, warnings: [empty, damaged, other] }).warnings).toEqual([
    { code: 'PAGES_WITHOUT_TEXT', message: empty },
    { code: 'PAGES_NOT_READ', message: damaged },
    other,
  ]);
});
