/** Opaque cursors of the lists: the place after which the next page begins. */
import { validationFailed } from './errors.ts';

/** The last row of a page in the order createdAt descending, id descending. */
export type Place = { createdAt: Date; id: string };

/** Fifteen digits of milliseconds stay below the last moment that JavaScript and PostgreSQL know. */
const CURSOR_PATTERN = /^([\w-]+)\.(\d{1,15})\.([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;

/** `list` names the list that the place is in: no other one takes the cursor. */
export const formatCursor = (list: string, { createdAt, id }: Place): string =>
  Buffer.from(`${list}.${createdAt.getTime()}.${id}`).toString('base64url');

/** @throws INPUT_VALIDATION_FAILED when this list has not given the cursor out. */
export function parseCursor(list: string, cursor: string): Place {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, from, milliseconds, id] = CURSOR_PATTERN.exec(text) ?? [];
  if (from !== list || id === undefined) {
    throw validationFailed([], { cursor: ['is not one that this list has given out'] });
  }
  return { createdAt: new Date(Number(milliseconds)), id };
}

/**
 * One page of the list `list` from `rows`, which hold one row more than `limit` where there is a next page.
 * @returns the rows of the page and the contract's `pagination`.
 */
export function toPage<Row>(
  rows: Row[],
  { list, limit, placeOf }: { list: string; limit: number; placeOf(row: Row): Place },
) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { page, pagination: { hasMore, nextCursor: hasMore ? formatCursor(list, placeOf(last)) : null } };
}
