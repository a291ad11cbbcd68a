/** Documents are in the order that a click on a column asks for. */
import { expect, test } from 'vitest';
import type { Document, DocumentStatus } from '../../client/index.ts';
import { ORDER_NAMES, orderBy, readOrder, sortDocuments, writeOrder } from './order.ts';

const document = (title: string, size: number, status: DocumentStatus = 'processed') =>
  ({ title, size, status }) as Document; // what the order looks at

/** The newest first. */
const DOCUMENTS = [
  document('Notes 10', 5),
  document('notes 9', 5, 'failed'),
  document('Élan', 9, 'pending'),
  document('zebra', 1),
];

test.each([
  ['', ['Notes 10', 'notes 9', 'Élan', 'zebra']],
  ['added', ['zebra', 'Élan', 'notes 9', 'Notes 10']],
  ['title', ['Élan', 'notes 9', 'Notes 10', 'zebra']],
  ['-title', ['zebra', 'Notes 10', 'notes 9', 'Élan']],
  ['size', ['zebra', 'Notes 10', 'notes 9', 'Élan']],
  ['-size', ['Élan', 'Notes 10', 'notes 9', 'zebra']],
  ['status', ['notes 9', 'Élan', 'Notes 10', 'zebra']],
  ['-status', ['Notes 10', 'zebra', 'Élan', 'notes 9']],
  ['nonsense', ['Notes 10', 'notes 9', 'Élan', 'zebra']],
  ['__proto__', ['Notes 10', 'notes 9', 'Élan', 'zebra']],
])('the order %j', (written, titles) => {
  expect(sortDocuments(DOCUMENTS, readOrder(written)).map(({ title }) => title)).toEqual(titles);
});

test('each order of the menu is written as it is read', () => {
  for (const written of Object.keys(ORDER_NAMES)) expect(writeOrder(readOrder(written))).toBe(written);
});

test('a second click on a column turns its order round', () => {
  const bySize = orderBy('size', readOrder(null));
  expect(bySize).toEqual({ column: 'size', isDescending: true });
  expect(orderBy('size', bySize)).toEqual({ column: 'size', isDescending: false });
  expect(orderBy('title', bySize)).toEqual({ column: 'title', isDescending: false });
});
