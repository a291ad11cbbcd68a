/** A cursor gives back its place, and nothing else is a cursor. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCursor, parseCursor, toPage } from './cursor.ts';

const place = fc.record({
  createdAt: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
  id: fc.uuid(),
});

test('a cursor gives back its place', () => {
  fc.assert(
    fc.property(place, (original) => {
      expect(parseCursor('list', formatCursor('list', original))).toEqual(original);
    }),
  );
});

test('any other text is refused with the name of the field', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => parseCursor('list', text)).toThrow('cursor');
    }),
  );
});

test('a cursor of another list is refused', () => {
  const cursor = formatCursor('other', {
    createdAt: new Date(0),
    id: '00000000-0000-7000-8000-000000000000',
  });
  expect(() => parseCursor('list', cursor)).toThrow('cursor');
});

test('a page tells of a next one only when there is one more row', () => {
  const rows = [1, 2, 3].map((number) => ({ createdAt: new Date(number), id: `${number}`.repeat(36) }));
  expect(toPage(rows, { list: 'list', limit: 3, placeOf: (row) => row })).toEqual({
    page: rows,
    pagination: { hasMore: false, nextCursor: null },
  });
  const { page, pagination } = toPage(rows, { list: 'list', limit: 2, placeOf: (row) => row });
  expect(page).toEqual(rows.slice(0, 2));
  expect(pagination.hasMore).toBe(true);
});
