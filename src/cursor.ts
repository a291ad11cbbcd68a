/** Opaque cursors of the lists: the place after which the next page begins. */
import { validationFailed } from './errors.ts';

/** The last row of a page in the order createdAt descending, id descending. */
export type Place = { createdAt: Date; id: string };

const PLACE_PATTERN = /^(\d{1,15})\.([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;

export const formatCursor = ({ createdAt, id }: Place): string =>
  Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');

/** @throws INPUT_VALIDATION_FAILED when no list of ours has given this cursor out. */
export function parseCursor(cursor: string): Place {
  const match = PLACE_PATTERN.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match?.[1] || !match[2])
    throw validationFailed([], { cursor: ['is not one that a list has given out'] });
  return { createdAt: new Date(Number(match[1])), id: match[2] };
}

/**
 * One page of a list from `rows`, which hold one row more than `limit` where there is a next page.
 * @returns the rows of the page and the contract's `pagination`.
 */
export function toPage<Row>(rows: Row[], limit: number, placeOf: (row: Row) => Place) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { page, pagination: { hasMore, nextCursor: hasMore ? formatCursor(placeOf(last)) : null } };
}
