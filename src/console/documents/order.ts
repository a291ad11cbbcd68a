/** The order of a list of documents. The service lists the newest first; the page sorts what it has loaded. */
import type { Document, DocumentStatus } from '../../client/index.ts';

export type Column = 'title' | 'size' | 'status' | 'added';
export type Order = { column: Column; isDescending: boolean };

/** As the service lists. */
const NEWEST_FIRST: Order = { column: 'added', isDescending: true };

/** The most documents that the page loads to sort them: ten requests. */
export const SORTED_MAX = 10_000;

/** Whether a first click on a column asks for the descending order: names begin with A, sizes with the largest. */
const BEGINS_DESCENDING: Record<Column, boolean> = { title: false, size: true, status: false, added: true };

/** The orders of the menu: as the page's parameter has them, and for people. Without a parameter: the newest first. */
export const ORDER_NAMES: Record<string, string> = {
  '': 'Newest first',
  added: 'Oldest first',
  title: 'By name',
  '-title': 'By name, from Z to A',
  '-size': 'Largest first',
  size: 'Smallest first',
  status: 'Failed first',
  '-status': 'Searchable first',
};

const isColumn = (text: string): text is Column => Object.hasOwn(BEGINS_DESCENDING, text);

/** '-size' → { column: 'size', isDescending: true } */
export function readOrder(written: string | null): Order {
  const column = written?.replace('-', '') ?? '';
  return isColumn(column) ? { column, isDescending: written !== column } : NEWEST_FIRST;
}

export const isNewestFirst = ({ column, isDescending }: Order): boolean => column === 'added' && isDescending;

/** The parameter of the page; '' for the newest first. */
export const writeOrder = (order: Order): string =>
  isNewestFirst(order) ? '' : `${order.isDescending ? '-' : ''}${order.column}`;

/** The order after a click on a column: the other direction where the list is in its order already. */
export const orderBy = (column: Column, before: Order): Order => ({
  column,
  isDescending: before.column === column ? !before.isDescending : BEGINS_DESCENDING[column],
});

/** What somebody may have to do something about comes first. */
const STATUSES: DocumentStatus[] = ['failed', 'timeout', 'processing', 'pending', 'processed'];

const { compare } = new Intl.Collator(undefined, { numeric: true });

const COMPARISONS: Record<Exclude<Column, 'added'>, (a: Document, b: Document) => number> = {
  title: (a, b) => compare(a.title, b.title),
  size: (a, b) => a.size - b.size,
  status: (a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status),
};

/** `documents`: the newest first; that order decides between equals. */
export function sortDocuments(documents: Document[], { column, isDescending }: Order): Document[] {
  if (column === 'added') return isDescending ? documents : documents.toReversed();
  const comparison = COMPARISONS[column];
  return documents.toSorted((a, b) => (isDescending ? comparison(b, a) : comparison(a, b)));
}
