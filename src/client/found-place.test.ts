/** A result is cited by the page on which its words stand. */
import { expect, test } from 'vitest';
import type { Highlight, PassageLocation, SearchResult } from '../../generated/types.gen.ts';
import { formatPages, foundPlace } from './found-place.ts';

const result = (location: Partial<PassageLocation>, highlights?: Partial<Highlight>[]): SearchResult => ({
  ...{
    id: 'a_1',
    score: 1,
    document_id: 'a',
    knowledge_base_id: 'b',
    title: 'Deck',
    type: 'pptx',
    content: '…',
  },
  metadata: { source: 'deck.pptx', annotations: '' },
  location: { passage: 1, headings: [], start: 0, end: 9, ...location },
  ...(highlights && { highlights: highlights.map((each) => ({ start: 0, end: 1, ...each })) }),
});

test.each([
  ['no pages', result({}), undefined],
  ['a page', result({ page: 7 }), 'page 7'],
  ['two pages, and nothing is known of the words', result({ page: 7, lastPage: 8 }), 'pages 7–8'],
  ['words in the title alone', result({ page: 7, lastPage: 8 }, []), 'pages 7–8'],
  [
    'the page with the most words',
    result(
      { page: 7, lastPage: 8 },
      [7, 8, 8].map((page) => ({ page })),
    ),
    'page 8',
  ],
  [
    'the first of two',
    result(
      { page: 7, lastPage: 8 },
      [8, 7].map((page) => ({ page })),
    ),
    'page 8',
  ],
])('%s', (_what, found, pages) => expect(formatPages(foundPlace(found), 'pdf')).toBe(pages));

test('tables have sheets, and presentations slides', () => {
  expect(formatPages({ page: 2 }, 'xlsx')).toBe('sheet 2');
  expect(formatPages({ page: 2, lastPage: 3 }, 'odp')).toBe('slides 2–3');
});

test('the time is that of the first word, or of the passage', () => {
  expect(foundPlace(result({ time: 3 }, [{ time: 7.5 }, { time: 9 }]))).toEqual({ time: 7.5 });
  expect(foundPlace(result({ time: 3 }))).toEqual({ time: 3 });
});
