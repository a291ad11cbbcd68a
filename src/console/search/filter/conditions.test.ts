/** A filter and its rows are the same, where rows can show it. */
import { expect, test } from 'vitest';
import type { AttributeType, Filter } from '../../../client/index.ts';
import { parseFilterText } from '../../../formats/filter-text.ts';
import type { KnownTypes } from '../../attributes/known-attributes.ts';
import { findMismatch, readConditions, writeConditions } from './conditions.ts';

test.each<Filter>([
  { type: 'eq', key: 'team', value: 'sales' },
  { type: 'gte', key: 'year', value: 2025 },
  { type: 'ne', key: 'public', value: true },
  { type: 'in', key: '$type', value: ['pdf', 'docx'] },
  {
    type: 'or',
    filters: [
      { type: 'contains', key: 'tags', value: 'manual' },
      { type: 'nin', key: 'year', value: [2024, 2025] },
    ],
  },
])('%j becomes rows, from JSON or text, and the same filter again', (filter) => {
  const rows = readConditions(JSON.stringify(filter));
  const text = rows && writeConditions(rows);
  expect(text && parseFilterText(text)).toEqual(filter);
  expect(text && readConditions(text)).toEqual(rows);
});

test.each([
  '{',
  '3',
  'year >',
  'not year = 2025',
  'null',
  '{"type":"and","filters":[{"type":"or","filters":[]}]}',
  '{"type":"and","filters":3}',
])('%s is no list of rows', (text) => expect(readConditions(text)).toBeUndefined());

test('a row without a value is no part of the filter', () => {
  const unfinished = { key: 'year', operator: 'gt', kind: 'number', value: 'x' } as const;
  expect(writeConditions({ join: 'and', conditions: [unfinished] })).toBe('');
});

test('texts with a comma are not taken apart', () => {
  const filter = '{"type":"in","key":"team","value":["a, b","c"]}';
  expect(readConditions(filter)).toBeUndefined();
});

test.each([
  ['year', 'gte', '2025', 2025],
  ['year', 'in', '2024, 2025', [2024, 2025]],
  ['public', 'eq', 'true', true],
  ['team', 'eq', 'sales', 'sales'],
  ['code', 'eq', '007', '007'],
  ['$title', 'eq', '2025', '2025'],
  ['tags', 'contains', '2025', '2025'],
] as const)('without a chosen type, %s %s %s is what it looks like', (key, operator, value, read) => {
  const written = writeConditions({ join: 'and', conditions: [{ key, operator, kind: 'auto', value }] });
  expect(parseFilterText(written)).toEqual({ type: operator, key, value: read });
});

test('an attribute of one type decides what its value is, and another type is said', () => {
  const known: KnownTypes = new Map([
    ['code', new Map<AttributeType, number>([['text', 3]])],
    ['year', new Map<AttributeType, number>([['number', 1]])],
    ['tags', new Map<AttributeType, number>([['list', 2]])],
  ]);
  const code = { key: 'code', operator: 'eq', kind: 'auto', value: '2025' } as const;
  expect(parseFilterText(writeConditions({ join: 'and', conditions: [code] }, known))).toMatchObject({
    value: '2025',
  });
  const year = { key: 'year', operator: 'gte', kind: 'text', value: '2025' } as const;
  expect(findMismatch(year, known)).toBe('No document has year as a text; 1 has a number.');
  expect(findMismatch({ ...year, kind: 'auto' }, known)).toBeUndefined();
  expect(findMismatch({ ...year, key: 'tags', operator: 'contains' }, known)).toBeUndefined();
  expect(findMismatch({ ...year, key: 'yaer' }, known)).toBe('No document has the attribute yaer.');
});
