/** Pages of the lists that are ordered by creation. */
import { byCreation, type PositionFormat, parseCursor, toPage } from '../../../../src/handlers/pagination.ts';

type Page<Item> = {
  limit?: number | undefined;
  cursor?: string | undefined;
  createdAt(item: Item): Date;
  /** Of cursors; by default of rows whose ids are UUIDs. */
  format?: PositionFormat<{ createdAt: Date; id: string }>;
};

/** The page after the cursor, the newest item first. */
export function pageOf<Item extends { id: string }>(
  list: string,
  items: Item[],
  { limit = 1000, cursor, createdAt, format = byCreation }: Page<Item>,
) {
  const after = parseCursor(list, cursor, format);
  const ageOf = (item: Item) => createdAt(item).getTime();
  const newestFirst = items.toSorted((a, b) => ageOf(b) - ageOf(a) || (a.id < b.id ? 1 : -1));
  const isAfter = (item: Item) => {
    if (after === undefined) return true;
    const difference = ageOf(item) - after.createdAt.getTime();
    return difference < 0 || (difference === 0 && item.id < after.id);
  };
  const positionOf = (item: Item) => format.write({ createdAt: createdAt(item), id: item.id });
  return toPage(newestFirst.filter(isAfter), { list, limit, positionOf });
}
