/** Cuts the lists of the examples to the requested size. */
import { byPosition, parseCursor, toPage } from '../../../src/handlers/pagination.ts';

/** `limit` is always set: the spec has a default for it in every operation that accepts it. */
export type PageInput = { limit?: number; cursor?: string };

/** The body of a success, without `success`. */
export type SuccessBody = { data: unknown; pagination?: unknown };

/**
 * The requested page of a list's body. Other bodies are returned unchanged. Cursors count items.
 * @throws INPUT_VALIDATION_FAILED for a cursor that this list has not returned
 */
export function cutPage(list: string, body: SuccessBody, { limit, cursor }: PageInput): SuccessBody {
  const { data, pagination } = body;
  if (!Array.isArray(data) || limit === undefined) return body;
  if (pagination === undefined) return { data: data.slice(0, limit) };
  const start = parseCursor(list, cursor, byPosition) ?? 0;
  const rows = data
    .slice(start, start + limit + 1)
    .map((item, index) => ({ item, position: start + index + 1 }));
  const cut = toPage(rows, { list, limit, positionOf: ({ position }) => String(position) });
  return { data: cut.page.map(({ item }) => item), pagination: cut.pagination };
}
