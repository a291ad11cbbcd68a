/** Opaque cursors of the lists. A cursor holds the position after which the next page begins. */
import { validationFailed } from '../terms/errors.ts';

/** How a cursor holds a position in a list. `read` returns undefined for text that `write` did not write. */
export type PositionFormat<Position> = {
  write(position: Position): string;
  read(text: string): Position | undefined;
};

/** Fifteen digits of milliseconds stay within the range of dates in JavaScript and in PostgreSQL. */
const CREATION_PATTERN = /^(\d{1,15})\.([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;

/** The last row of a page in the order createdAt descending, id descending. */
export const byCreation: PositionFormat<{ createdAt: Date; id: string }> = {
  write: ({ createdAt, id }) => `${createdAt.getTime()}.${id}`,
  read(text) {
    const [, milliseconds, id] = CREATION_PATTERN.exec(text) ?? [];
    return id === undefined ? undefined : { createdAt: new Date(Number(milliseconds)), id };
  },
};

const KEY_CREATION_PATTERN = /^(\d{1,15})\.([0-9a-f]{24})$/;

/** The same of keys, whose ids are no UUIDs. */
export const byKeyCreation: PositionFormat<{ createdAt: Date; id: string }> = {
  write: byCreation.write,
  read(text) {
    const [, milliseconds, id] = KEY_CREATION_PATTERN.exec(text) ?? [];
    return id === undefined ? undefined : { createdAt: new Date(Number(milliseconds)), id };
  },
};

/** The last row of a page in the order of positions. PostgreSQL holds them as integers, and nine digits always fit. */
export const byPosition: PositionFormat<number> = {
  write: String,
  read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
};

const CURSOR_PATTERN = /^([\w-]+)\.(.+)$/;

/** Makes a cursor. `list` names the list of the position: other lists refuse the cursor. */
export const formatCursor = (list: string, position: string): string =>
  Buffer.from(`${list}.${position}`).toString('base64url');

/**
 * The position in a cursor; undefined where there is no cursor.
 * @throws INPUT_VALIDATION_FAILED when the cursor was not made by this list.
 */
export function parseCursor<Position>(
  list: string,
  cursor: string | undefined,
  format: PositionFormat<Position>,
): Position | undefined {
  if (cursor === undefined) return undefined;
  const [, from, text = ''] = CURSOR_PATTERN.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const position = from === list ? format.read(text) : undefined;
  if (position === undefined) {
    throw validationFailed([], { cursor: ['is not one that this list has given out'] });
  }
  return position;
}

/**
 * One page of `list`. `rows` holds one row more than `limit` where there is a next page; or `found` is greater than the
 * number of its rows.
 * @returns the rows of the page and the contract's `pagination`.
 */
export function toPage<Row>(
  rows: Row[],
  {
    list,
    limit,
    positionOf,
    found = rows.length,
  }: { list: string; limit: number; positionOf(row: Row): string; found?: number | undefined },
) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found > page.length && last !== undefined;
  return { page, pagination: { hasMore, nextCursor: hasMore ? formatCursor(list, positionOf(last)) : null } };
}
