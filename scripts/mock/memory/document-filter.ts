/** The filters of documents, on the mock's documents. */
import { fits } from '../../../contract-tests/harness/documents/naive-filter.ts';
import type { Filter } from '../../../generated/types.gen.ts';
import type { StoredDocument } from './state.ts';

/** Whether a document is one that a list asks for. */
export function fitsFilter({ row }: StoredDocument, filter: Filter | undefined): boolean {
  if (filter === undefined) return true;
  const { attributes, type, title, source_url, created_at } = row;
  const own = { $type: type, $title: title, $createdAt: created_at.getTime() };
  return fits({ ...attributes, ...own, ...(source_url !== null && { $sourceUrl: source_url }) }, filter);
}
