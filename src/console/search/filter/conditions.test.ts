/** A filter in JSON and its rows are the same, where rows can show it. */
import { expect, test } from 'vitest';
import { readConditions, writeConditions } from './conditions.ts';

test.each([
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
])('%j becomes rows, and the same JSON again', (filter) => {
  const rows = readConditions(JSON.stringify(filter));
  expect(rows && JSON.parse(writeConditions(rows))).toEqual(filter);
});

test.each([
  '{',
  '3',
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
  expect(JSON.parse(written)).toEqual({ type: operator, key, value: read });
});
