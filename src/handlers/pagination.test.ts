/** A cursor holds a position in its list. Any other text is refused. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byCreation, byPosition, formatCursor, parseCursor, toPage } from './pagination.ts';

const creation = fc.record({
  createdAt: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
  id: fc.uuid(),
});

test('parseCursor returns the position that formatCursor was given', () => {
  fc.assert(
    fc.property(creation, fc.nat(999_999_999), (created, position) => {
      const cursor = formatCursor('list', byCreation.write(created));
      expect(parseCursor('list', cursor, byCreation)).toEqual(created);
      expect(parseCursor('list', formatCursor('list', byPosition.write(position)), byPosition)).toBe(
        position,
      );
    }),
  );
});

test('without a cursor there is no position', () => {
  expect(parseCursor('list', undefined, byCreation)).toBeUndefined();
});

test('any other text is refused with the name of the field', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => parseCursor('list', text, byCreation)).toThrow('cursor');
      expect(() => parseCursor('list', text, byPosition)).toThrow('cursor');
    }),
  );
});

test('a cursor of another list, or of another order, is refused', () => {
  const created = byCreation.write({
    createdAt: new Date(0),
    id: '00000000-0000-7000-8000-000000000000',
  });
  expect(() => parseCursor('list', formatCursor('other', created), byCreation)).toThrow('cursor');
  expect(() => parseCursor('list', formatCursor('list', created), byPosition)).toThrow('cursor');
  expect(() => parseCursor('list', formatCursor('list', '12'), byCreation)).toThrow('cursor');
});

test('a page has a next one only if there is one more row than its limit', () => {
  const rows = [1, 2, 3];
  expect(toPage(rows, { list: 'list', limit: 3, positionOf: String })).toEqual({
    page: rows,
    pagination: { hasMore: false, nextCursor: null },
  });
  expect(toPage(rows, { list: 'list', limit: 2, positionOf: String })).toEqual({
    page: [1, 2],
    pagination: { hasMore: true, nextCursor: formatCursor('list', '2') },
  });
});
