/** Positions in lists of rows, the newest first. */

/** The position of a row in the order createdAt descending, id descending. */
export type RowPosition = { createdAt: Date | 'infinity'; id: string };

/** A longer page takes milliseconds. */
const SHORT_PAGE_LENGTH = 101;
export const isLongPage = (limit: number): boolean => limit > SHORT_PAGE_LENGTH;

/** The position before all rows, so that the first page is no statement of its own. */
export const BEFORE_ALL: RowPosition = {
  createdAt: 'infinity',
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};
