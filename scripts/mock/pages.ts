/** Cuts lists to the size that was asked for: an example can not know it. */
import { byPosition, parseCursor, toPage } from '../../src/handlers/pagination.ts';

/** `limit` is always there: the spec has a default for it wherever it can be given. */
export type PageInput = { limit?: number; cursor?: string };

/** The body of a success, without `success`. */
export type SuccessBody = { data: unknown; pagination?: unknown };

/**
 * What of a list's body the request asks for; the body itself where it is no list. Cursors count items.
 * @throws INPUT_VALIDATION_FAILED for a cursor that this list has not given out
 */
export function cutPage(list: string, body: SuccessBody, { limit, cursor }: PageInput): SuccessBody {
  const { data, pagination } = body;
  if (!Array.isArray(data) || limit === undefined) return body;
  if (pagination === undefined) return { data: data.slice(0, limit) };
  const start = parseCursor(list, cursor, byPosition) ?? 0;
  const rows = data
    .slice(start, start + limit + 1)
    .map((item, index) => ({ item, place: start + index + 1 }));
  const cut = toPage(rows, { list, limit, placeOf: ({ place }) => String(place) });
  return { data: cut.page.map(({ item }) => item), pagination: cut.pagination };
}
