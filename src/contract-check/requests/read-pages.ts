/** Reads lists page by page. */
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
