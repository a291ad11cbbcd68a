/** Where in its document a search result has the words of the query. */
import type { DocumentType, Highlight, SearchResult } from '../../generated/types.gen.ts';

/** The page of the words; if they are in no page's text, the passage's first and last page. `time` is in seconds. */
export type FoundPlace = { page?: number; lastPage?: number; time?: number };

/**
 * The page on which most words of the query stand, and when the first of them is spoken. Only requests with `highlight`
 * know more than where the passage begins and ends.
 */
export function foundPlace({ location, highlights = [] }: SearchResult): FoundPlace {
  const best = mostMarkedPage(highlights);
  const [first] = highlights;
  const time = first?.time ?? location?.time;
  return {
    ...(best !== undefined
      ? { page: best }
      : {
          ...(location?.page !== undefined && { page: location.page }),
          ...(location?.lastPage !== undefined && { lastPage: location.lastPage }),
        }),
    ...(time !== undefined && { time }),
  };
}

/** The first of those with the most matches. */
function mostMarkedPage(highlights: Highlight[]): number | undefined {
  const counts = new Map<number, number>();
  for (const { page } of highlights) if (page !== undefined) counts.set(page, (counts.get(page) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return counts.entries().find(([, count]) => count === most)?.[0];
}

/** What the formats have that have no pages: tables have sheets, presentations have slides. */
const UNITS: Partial<Record<DocumentType, string>> = {
  xlsx: 'sheet',
  xls: 'sheet',
  ods: 'sheet',
  pptx: 'slide',
  ppt: 'slide',
  odp: 'slide',
};

/** What `page` and `pageCount` count in documents of a format: 'page', 'sheet' or 'slide'. */
export const pageUnit = (type: DocumentType): string => UNITS[type] ?? 'page';

/** `page 8`, `pages 7–8`, or `sheet 2`; undefined where the format has none. */
export function formatPages({ page, lastPage }: FoundPlace, type: DocumentType): string | undefined {
  if (page === undefined) return undefined;
  const unit = pageUnit(type);
  return lastPage === undefined ? `${unit} ${page}` : `${unit}s ${page}–${lastPage}`;
}
