/** Lists: one page when awaited, all items when iterated. */
import type { Pagination } from '../../../generated/types.gen.ts';

/** One page of a list. */
export type Page<Item> = { data: Item[]; pagination: Pagination };

/**
 * `await` gives the page that the caller has asked for. `for await` gives its items, and the items of all pages after
 * it. While the items of a page are used, the next page is read, and none after that.
 */
export type PagePromise<Item> = Promise<Page<Item>> & AsyncIterable<Item>;

async function* iterate<Query extends { cursor?: string }, Item>(
  first: Promise<Page<Item>>,
  query: Query,
  readPage: (query: Query) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  for (let next: Promise<Page<Item>> | undefined = first; next !== undefined; ) {
    const page: Page<Item> = await next;
    const cursor: string | null = page.pagination.nextCursor;
    next = cursor === null ? undefined : readPage({ ...query, cursor });
    // An error is thrown when the items of its page are due, unless the caller has ended the loop by then.
    next?.catch(() => {});
    yield* page.data;
  }
}

/** Reads the page of `query` at once, and the pages after it while the list is iterated. */
export function listPages<Query extends { cursor?: string }, Item>(
  query: Query,
  readPage: (query: Query) => Promise<Page<Item>>,
): PagePromise<Item> {
  const first = readPage(query);
  return Object.assign(first, { [Symbol.asyncIterator]: () => iterate(first, query, readPage) });
}
