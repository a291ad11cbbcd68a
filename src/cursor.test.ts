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
      expect(parseCursor(formatCursor(original))).toEqual(original);
    }),
  );
});

test('any other text is refused with the name of the field', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => parseCursor(text)).toThrow('cursor');
    }),
  );
});

test('a page tells of a next one only when there is one more row', () => {
  const rows = [1, 2, 3].map((number) => ({ createdAt: new Date(number), id: `${number}`.repeat(36) }));
  expect(toPage(rows, 3, (row) => row)).toEqual({
    page: rows,
    pagination: { hasMore: false, nextCursor: null },
  });
  const { page, pagination } = toPage(rows, 2, (row) => row);
  expect(page).toEqual(rows.slice(0, 2));
  expect(pagination.hasMore).toBe(true);
});
