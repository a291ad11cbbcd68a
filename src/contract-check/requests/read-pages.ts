/** Reads lists page by page, and fills them. */
import type { Pagination } from '../../../generated/types.gen.ts';

type Page<Item> = { data: Item[]; pagination: Pagination };

/**
 * All pages of a list. `readPage` gets the parameter `cursor`, which is missing for the first page.
 * @throws when a page contradicts itself, or leads back to a page that has been read
 */
export async function readPages<Item>(
  readPage: (cursor: { cursor?: string }) => Promise<Page<Item>>,
): Promise<Item[][]> {
  const pages: Item[][] = [];
  const known = new Set<string | null>();
  let cursor: { cursor?: string } | undefined = {};
  while (cursor !== undefined) {
    const { data, pagination }: Page<Item> = await readPage(cursor);
    pages.push(data);
    const { hasMore, nextCursor } = pagination;
    if (hasMore !== (nextCursor !== null)) throw new Error('hasMore and nextCursor contradict each other');
    if (known.has(nextCursor)) throw new Error(`the cursor ${nextCursor} was returned twice`);
    known.add(nextCursor);
    cursor = nextCursor === null ? undefined : { cursor: nextCursor };
  }
  return pages;
}

/** The number of concurrent requests. */
const CONCURRENCY = 16;

/** Calls `create` with the numbers from 0 to `count` - 1, several at a time. Returns the results in that order. */
export async function createInParallel<Created>(
  count: number,
  create: (index: number) => Promise<Created>,
): Promise<Created[]> {
  const created: Created[] = [];
  const indexes = Array(count).keys();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const index of indexes) created[index] = await create(index);
    }),
  );
  return created;
}
